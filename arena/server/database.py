"""The database of a server: a store with the server's tables, and the one thread that writes to it.

A commit waits for the disk (some milliseconds), however little it writes. So operations that come while one is under
way are written together, each in a savepoint of its own: one that is refused leaves no trace and disturbs no other.
All writers of a store take turns anyway, on PostgreSQL as on SQLite, so that one thread loses nothing; jobs are
leased within it, and need no locks of their own (`SKIP LOCKED`) nor a queue beside the tables.
"""

import asyncio
import queue
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, insert, select

from arena.server.audit import log
from arena.server.refusals import passed_on
from arena.server.schema import settings
from arena.store import Store

MIGRATIONS = Path(__file__).parent / "migrations"
MOST_TOGETHER = 64
"""Most operations of one commit."""
AFTERWARDS_EACH_S = 0.1
"""Seconds between two parts of what is done after operations: results of so long are counted together."""
SECRET = "secret"
"""Setting from which a server draws what nobody may guess."""
T = TypeVar("T")
Operation = Callable[[Connection], T]


def open_database(url: str | Path, *, create: bool = True) -> Store:
    """Return the store of a server, its tables made or brought up to date; `UsageError` if it cannot be."""
    store = Store(url, create=create)
    try:
        with store.writing() as connection:
            migrate(connection)
            if setting(connection, SECRET) is None:
                connection.execute(insert(settings).values(name=SECRET, value=secrets.token_hex(32)))
    except BaseException:
        store.close()
        raise
    return store


@contextmanager
def writing_to(url: str | Path) -> Iterator[Connection]:
    """Open a database for one transaction, beside a server that may be running."""
    with passed_on(), closing(open_database(url)) as store, store.writing() as connection:
        yield connection


def migrate(connection: Connection) -> None:
    """Bring the server's tables to the newest version, in the transaction of the connection."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def setting(connection: Connection, name: str) -> str | None:
    """Return a setting; None if there is none of that name."""
    value: str | None = connection.execute(select(settings.c.value).where(settings.c.name == name)).scalar_one_or_none()
    return value


class Writer:
    """Writes operations in the order in which they come; those that wait are committed together.

    Args:
        store: where.
        afterwards: what may be left to do after operations; returns whether there may be more. It is done now and
            then, in transactions of its own.

    """

    def __init__(self, store: Store, afterwards: Operation[bool] | None = None):
        self._store, self._afterwards = store, afterwards
        self._waiting: queue.SimpleQueue[tuple[Operation[Any], Future[Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def do(self, operation: Operation[T]) -> T:
        """Run an operation; return what it returns once that is on disk, or raise what it raises."""
        return self._future(operation).result()

    async def done(self, operation: Operation[T]) -> T:
        """Run an operation like `do`, while the thread of the caller does something else."""
        return await asyncio.wrap_future(self._future(operation))

    def _future(self, operation: Operation[T]) -> "Future[T]":
        future: Future[T] = Future()
        self._waiting.put((operation, future))
        return future

    def close(self) -> None:
        """Write what waits, and end the thread."""
        self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        rest, due = self._afterwards is not None, time.monotonic()
        while True:
            if rest and time.monotonic() >= due:
                rest, due = self._rest(), time.monotonic() + AFTERWARDS_EACH_S
                continue
            batch = self._next_batch(max(0.0, due - time.monotonic()) if rest else None)
            operations = [one for one in batch if one is not None]
            if operations:
                self._write(operations)
                rest = self._afterwards is not None
            if len(operations) < len(batch):
                return

    def _next_batch(self, patience_s: float | None) -> list[tuple[Operation[Any], Future[Any]] | None]:
        """Return what waits, or comes within some seconds (None: ever); None at its end if the thread is to end."""
        batch: list[tuple[Operation[Any], Future[Any]] | None] = []
        try:
            while len(batch) < MOST_TOGETHER and (not batch or batch[-1] is not None):
                batch.append(self._waiting.get_nowait() if batch else self._waiting.get(timeout=patience_s))
        except queue.Empty:
            pass
        return batch

    def _rest(self) -> bool:
        """Do a part of what is left to do; return whether there may be more."""
        assert self._afterwards is not None
        try:
            with self._store.writing() as connection:
                return self._afterwards(connection)
        except Exception as error:  # the database is gone: it is done after the next operation
            log("error", error=repr(error))
            return False

    def _write(self, batch: list[tuple[Operation[Any], Future[Any]]]) -> None:
        """Commit a batch, and only then say so."""
        outcomes: list[Callable[[], None]] = []
        try:
            with self._store.writing() as connection:
                for operation, future in batch:
                    outcomes.append(_outcome(connection, operation, future))
        except Exception as error:  # the commit failed, or the database is gone: nobody's operation is on disk
            for _, future in batch:
                future.set_exception(error)
            return
        for tell in outcomes:
            tell()


def _outcome(connection: Connection, operation: Operation[Any], future: Future[Any]) -> Callable[[], None]:
    """Run an operation in a savepoint; return what tells its caller how it went."""
    try:
        with connection.begin_nested():
            result = operation(connection)
    except Exception as error:
        failure = error
        return lambda: future.set_exception(failure)
    return lambda: future.set_result(result)
