"""Connections to the database of a store, and its faults in one line each.

SQLite writes ahead (WAL: readers and a writer do not wait for each other) with `synchronous=FULL`: a transaction has
reached the disk before it counts as committed, so a match that was reported as stored survives a power cut. The usual
`NORMAL` would lose the last ones then. It costs one fsync a transaction, which is why matches are added in blocks.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from arena.errors import UsageError

DEFAULT_URL = "runs/arena.db"
"""The store of commands that are told of none."""
CONNECT_S = 10
"""How long a server may take to answer."""


class Database:
    """A database by URL or path; each transaction waits up to `wait_s` seconds for those of others."""

    def __init__(self, url: str | Path, wait_s: float):
        self.url = read_url(url)
        self._wait_s = wait_s
        self._engine = _engine(self.url, wait_s)

    @property
    def name(self) -> str:
        """What messages call it: the path of a file, or the URL without its password."""
        return str(self.file or self.url.render_as_string(hide_password=True))

    @property
    def file(self) -> Path | None:
        """The file that holds it, if it is one of SQLite's."""
        return Path(str(self.url.database)) if self.url.get_backend_name() == "sqlite" else None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads."""
        with self._explained(), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that may write; all of it is written at its end, or nothing."""
        with self._explained(), self._engine.connect() as connection:
            connection = connection.execution_options(arena_begin="BEGIN IMMEDIATE")
            with connection.begin():
                yield connection

    def write_ahead(self) -> None:
        """Put an SQLite file into WAL mode, in which it stays."""
        if self.file is not None:
            with self._explained(), self._engine.connect() as connection:
                connection = connection.execution_options(arena_begin="")  # it cannot be changed in a transaction
                connection.exec_driver_sql("PRAGMA journal_mode=WAL")

    def require_whole(self) -> None:
        """Raise `UsageError` if the end of an SQLite file is missing, which SQLite itself may notice late or never."""
        if self.file is None:
            return
        with self.reading() as connection:
            pages, size = (
                connection.exec_driver_sql(f"PRAGMA {of}").scalar_one() for of in ("page_count", "page_size")
            )
            log = Path(f"{self.file}-wal")
            all_in_the_file = not log.exists() or log.stat().st_size == 0
            if all_in_the_file and self.file.stat().st_size < pages * size:
                raise UsageError(FAULTS["SQLITE_CORRUPT"])

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise UsageError(f"store {self.name}: {self._fault(error)}") from error
        except SQLAlchemyError as error:
            raise UsageError(f"store {self.name}: {_first_line(error)}") from error
        except UsageError as error:
            raise UsageError(f"store {self.name}: {error}") from error

    def _fault(self, error: DBAPIError) -> str:
        """What a driver's exception means; SQLite's are told by name, PostgreSQL's by SQLSTATE."""
        name = getattr(error.orig, "sqlite_errorname", "") or ""
        state = getattr(error.orig, "sqlstate", "") or ""
        for known, words in FAULTS.items():
            if name.startswith(known) or state.startswith(known):
                return words.format(wait_s=self._wait_s)
        return _first_line(error.orig or error)


FAULTS = {
    "SQLITE_BUSY": "another process has been writing to it for {wait_s:g} s; try again when it has ended",
    "55P03": "another process has been writing to it for {wait_s:g} s; try again when it has ended",
    "SQLITE_FULL": "the disk is full; make room, and the same command goes on",
    "SQLITE_IOERR": "the disk is full or broken: a file could not be read or written",
    "53100": "the disk of the database server is full",
    "SQLITE_CORRUPT": "the file is damaged; restore it from a copy",
    "SQLITE_NOTADB": "it is no store: the file is no SQLite database",
    "SQLITE_READONLY": "the file or its folder is read-only",
    "SQLITE_CANTOPEN": "the file cannot be opened or made here",
}


def read_url(url: str | Path) -> URL:
    """The URL of a store; a text without :// is the path of an SQLite file. `UsageError` if it is neither."""
    try:
        read = make_url(str(url)) if "://" in str(url) else URL.create("sqlite", database=str(url))
        if read.drivername == "postgresql":
            read = read.set(drivername="postgresql+psycopg")
        read.get_dialect()
    except (ArgumentError, NoSuchModuleError) as error:
        raise UsageError(f"store {url!r} is no path and no URL like sqlite:///arena.db: {_first_line(error)}") from None
    if read.get_backend_name() == "sqlite" and read.database in (None, "", ":memory:"):
        raise UsageError(f"a store is a file, and {url!r} names none; a path or a URL like sqlite:///arena.db does")
    return read


def _engine(url: URL, wait_s: float) -> Engine:
    backend = url.get_backend_name()
    arguments: dict[str, Any] = {}
    if backend == "sqlite":
        arguments = {"timeout": wait_s, "isolation_level": None}  # transactions begin where we say so
    elif backend == "postgresql" and "connect_timeout" not in url.query:
        arguments = {"connect_timeout": CONNECT_S}
    try:
        engine = create_engine(url, connect_args=arguments, pool_pre_ping=backend != "sqlite")  # servers restart
    except ModuleNotFoundError as error:
        extra = "; pip install 'arena-marl[postgres]'" if backend == "postgresql" else ""
        raise UsageError(f"stores at {url.drivername}:// need the package {error.name}{extra}") from None
    if backend == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    elif backend == "postgresql":
        event.listen(engine, "begin", lambda connection: _begin_postgresql(connection, wait_s))
    return engine


def _prepare_sqlite(connection: Any, record: object) -> None:
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA cache_size=-65536")  # 64 MiB: the indices of a million matches stay in memory
    connection.execute("PRAGMA wal_autocheckpoint=16384")  # 64 MiB of log: a page that many change moves over once


def _begin_sqlite(connection: Connection) -> None:
    """A transaction that will write asks for its lock at once: one that asks later cannot wait for it."""
    begin = connection.get_execution_options().get("arena_begin", "BEGIN")
    if begin:
        connection.exec_driver_sql(begin)


def _begin_postgresql(connection: Connection, wait_s: float) -> None:
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = {max(1, round(wait_s * 1000))}")  # 0 would wait for ever


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
