"""A copy of a server, database and bundles, in one tar; made while the server runs."""

import sqlite3
import tarfile
import tempfile
from contextlib import closing
from pathlib import Path

from arena.base.errors import UsageError
from arena.base.saving import write_whole
from arena.server.database import open_database

DATABASE, BUNDLES = "arena.db", "bundles"
PAGES = 1000
"""Pages copied at a time, between which the server writes."""


def back_up(data: Path, file: Path) -> int:
    """Write a copy of the server of a folder; return its bytes. `UsageError` where there is none.

    SQLite's backup copies the database as of one moment. Bundles are copied afterwards: they only ever are added before
    a row names them, so that none is missing.
    """
    database = data / DATABASE
    if not database.exists():
        raise UsageError(f"{data} holds no server with a database of its own; one on PostgreSQL is copied by pg_dump")

    def write(draft: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="arena-backup-", dir=data) as folder:
            copy = Path(folder) / DATABASE
            with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(copy)) as target:
                source.backup(target, pages=PAGES)
            with tarfile.open(draft, "w") as tar:
                tar.add(copy, DATABASE)
                for bundle in sorted((data / BUNDLES).glob("*.tar")):
                    tar.add(bundle, f"{BUNDLES}/{bundle.name}")

    return write_whole(file, write).stat().st_size


def restore(file: Path, data: Path) -> None:
    """Make a server's folder of a copy; `UsageError` for a folder that has one, and for a file that is no copy."""
    if (data / DATABASE).exists():
        raise UsageError(f"{data} holds a server already; restore into a new folder")
    try:
        with tarfile.open(file) as tar:
            names = tar.getnames()
            if DATABASE not in names or not all(name == DATABASE or name.startswith(f"{BUNDLES}/") for name in names):
                raise UsageError(f"{file} is no copy of a server")
            data.mkdir(parents=True, exist_ok=True)
            tar.extractall(data, filter="data")
    except (tarfile.TarError, OSError) as error:
        raise UsageError(f"{file} cannot be restored: {error}") from None
    open_database(data / DATABASE, create=False).close()
