"""A PostgreSQL server of one's own: Debian's package, in a temporary folder, on a socket of its own."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

NOBODY = "postgres"
"""Who runs the server where this runs as root, which PostgreSQL refuses; the package brings the user along."""
READY_S = 120.0
IN_USE = "still in use"
"""What a server logs that ends since children of a killed one are not gone yet."""


class PostgresServer:
    """A running server; `new_database` makes an empty one and returns its URL."""

    def __init__(self, binaries: Path, folder: Path):
        self._binaries, self._folder = binaries, folder
        self._numbers = count()
        self._as = {"user": NOBODY, "group": NOBODY} if os.geteuid() == 0 else {}
        self._process: subprocess.Popen[bytes] | None = None

    def initialise(self) -> None:
        """Make an empty cluster."""
        if self._as:
            shutil.chown(self._folder, NOBODY, NOBODY)
        self._run("initdb", "-D", "data", "-U", "arena", "-A", "trust", "-E", "UTF8", "--no-sync")

    def start(self) -> None:
        """Serve it, on a socket in its folder, with nobody asked for a password."""
        self._process, deadline = self._started(), time.monotonic() + READY_S
        while subprocess.run([self._binaries / "pg_isready", "-q", "-h", self._folder], check=False).returncode:
            log = (self._folder / "log").read_text()
            if (ended := self._process.poll() is not None and IN_USE not in log) or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL {'ends' if ended else 'does not start'}: {log}")
            time.sleep(0.1)
            if self._process.poll() is not None:
                self._process = self._started()

    def _started(self) -> "subprocess.Popen[bytes]":
        options = {"listen_addresses": "", "unix_socket_directories": str(self._folder), "fsync": "off"}
        words = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        with (self._folder / "log").open("wb") as log:
            command = [self._binaries / "postgres", "-D", "data", *words]
            return subprocess.Popen(command, cwd=self._folder, stdout=log, stderr=log, **self._as)

    def kill(self) -> None:
        """Kill the server by SIGKILL, and start it again; connections break."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self.start()

    def stop(self) -> None:
        """End the server at once, as a power cut would; what was committed is there when it starts again."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(60)
            self._process = None

    def new_database(self) -> str:
        """The URL of an empty schema, quicker to make than a database of its own, and as good as one."""
        name = f"arena_{next(self._numbers)}"
        self.sql(f"CREATE SCHEMA {name}")
        return f"{self.url('postgres')}&options=-csearch_path%3D{name}"

    def url(self, database: str) -> str:
        """Where a database of this server is."""
        return f"postgresql://arena@/{database}?host={self._folder}"

    def require_password(self, role: str, password: str) -> None:
        """Make a superuser whom nobody is without that password."""
        access = self._folder / "data" / "pg_hba.conf"
        access.write_text(f"local all {role} scram-sha-256\n{access.read_text()}")
        quoted = password.replace("'", "''")
        self.sql(f"SET password_encryption = 'scram-sha-256'; CREATE ROLE {role} SUPERUSER LOGIN PASSWORD '{quoted}'")
        self.sql("SELECT pg_reload_conf()")

    def sql(self, command: str) -> None:
        """Run SQL as the owner of everything."""
        self._run("psql", "-q", "-h", str(self._folder), "-U", "arena", "-d", "postgres", "-c", command)

    def _run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [self._binaries / program, *words],
            cwd=self._folder,
            capture_output=True,
            text=True,
            check=False,
            **self._as,
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr}")


@contextmanager
def postgres_running() -> Iterator[PostgresServer]:
    """Run a server until the end of the block; raise `FileNotFoundError` where PostgreSQL is not installed."""
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # the path of a socket is short
    server = PostgresServer(installed_binaries(), folder)
    try:
        server.initialise()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def installed_binaries() -> Path:
    """Return the folder of `initdb` and `postgres`, the newest; Debian keeps them off the search path."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    if (initdb := shutil.which("initdb")) is not None:
        folders.append(Path(initdb).resolve().parent)
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise FileNotFoundError("PostgreSQL is not installed (Debian: postgresql)")
