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
        afterwards: what may be left to do after an operation; returns whether there may be more. It is done in
            transactions of its own while nothing waits.

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
        more = False
        while True:
            if more and self._waiting.empty():
                more = self._rest()
                continue
            first = self._waiting.get()
            if first is None:
                return
            batch = [first]
            ends = False
            while len(batch) < MOST_TOGETHER and not self._waiting.empty():
                one = self._waiting.get()
                if one is None:
                    ends = True
                    break
                batch.append(one)
            self._write(batch)
            if ends:
                return
            more = True

    def _rest(self) -> bool:
        """Do a part of what is left to do; return whether there may be more."""
        if self._afterwards is None:
            return False
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
