"""A server in a process: it listens, drains at the first signal, and ends at the second."""

import gc
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType

import uvicorn
from sqlalchemy import func, select

from arena.base.errors import UsageError
from arena.server import accounts
from arena.server.app import make_app
from arena.server.client import KEY
from arena.server.database import open_database
from arena.server.demo import fill_demo
from arena.server.schema import jobs
from arena.server.state import ServerConfig, ServerState
from arena.store import Store

BACKLOG = 2048
SWITCH_S = 0.0002
"""Longest time that a thread keeps the interpreter while others wait for it.

A statement gives it away: under load the thread that writes would wait 5 ms, by default, after each of them.
"""
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class DrainingServer(uvicorn.Server):
    """Gives out no more jobs at the first signal, and ends once those that are out have come back, or after a while."""

    def __init__(self, config: uvicorn.Config, state: ServerState, drain_s: float):
        super().__init__(config)
        self._state, self._drain_s = state, drain_s

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Drain, or end if that has begun."""
        if self._state.draining:
            super().handle_exit(sig, frame)
            return
        self._state.draining = True
        threading.Thread(target=self._drain, name="drain", daemon=True).start()

    def _drain(self) -> None:
        until = time.monotonic() + self._drain_s
        while time.monotonic() < until and leased(self._state.store):
            time.sleep(0.2)
        self.should_exit = True


def leased(store: Store) -> int:
    """Return the number of jobs that are held by workers."""
    query = select(func.count()).where(jobs.c.state == "leased", jobs.c.expires > time.time())
    with store.reading() as connection:
        return connection.execute(query).scalar_one()


def serve(url: str | Path, config: ServerConfig, host: str, port: int, drain_s: float, demo: bool = False) -> None:
    """Serve a store until a signal; `UsageError` if the address is taken.

    With `demo` there are two ladders with bots, and a worker beside the server plays.
    """
    logging.basicConfig(stream=sys.stderr, format="%(message)s", level=logging.WARNING)
    logging.getLogger("arena.server").setLevel(logging.INFO)
    with closing(open_database(url)) as store, closing(_listening(host, port)) as listener:
        address = f"http://{host}:{listener.getsockname()[1]}"
        _greet(store, address)
        app = make_app(store, config)
        settings = uvicorn.Config(app, log_config=None, access_log=False, server_header=False, backlog=BACKLOG)
        server = DrainingServer(settings, app.state.server, drain_s)
        sys.setswitchinterval(SWITCH_S)
        gc.collect()
        gc.freeze()  # what is imported stays: to look through it again takes a quarter of a second
        with closing(app.state.server), _demonstration(store, address, demo):
            server.run([listener])


def _greet(store: Store, address: str) -> None:
    """Print the address and, for a store without accounts, the key of its owner."""
    print(f"Serving {address}  (Ctrl-C drains, a second one ends)", flush=True)
    with store.writing() as connection:
        if not accounts.list_accounts(connection):
            owner = accounts.add_account(connection, "owner", accounts.OWNER)
            key = accounts.add_key(connection, owner.id, "first")
            print(f"The key of its owner, which is shown this once:\n  export {KEY}={key}", flush=True)


def _listening(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=BACKLOG
        )
    except OSError as error:
        raise UsageError(f"{host}:{port} cannot be served: {error.strerror or error}; try another --port") from None


@contextmanager
def _demonstration(store: Store, address: str, wanted: bool) -> Iterator[None]:
    """Have a worker of this machine play the ladders of the demonstration meanwhile."""
    if not wanted:
        yield
        return
    key = fill_demo(store)
    command = [sys.executable, "-m", "arena", "worker", address, "--name", "demo", "--quiet"]
    worker = subprocess.Popen(command, env=os.environ | {KEY: key}, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        yield
    finally:
        worker.kill()  # whatever it was playing is played again
        worker.wait()
