"""Connections to the database of a store; its errors as messages of one line.

SQLite writes ahead (WAL: readers and a writer do not wait for each other) with `synchronous=FULL`: a transaction has
reached the disk before it counts as committed, so a match that was reported as stored survives a power cut. The usual
`NORMAL` would lose the last ones then. It costs one fsync a transaction, which is why matches are added in blocks.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from arena.base.errors import UsageError
from arena.base.extras import install_command
from arena.base.files import open_regular, require_working_folder
from arena.base.passwords import without_password

DEFAULT_URL = "runs/arena.db"
"""Default store of commands."""
CONNECT_S = 10
"""Seconds to wait for a connection to a server."""


@runtime_checkable
class SqliteError(Protocol):
    """An exception of SQLite, which has a name."""

    sqlite_errorname: str


@runtime_checkable
class ServerError(Protocol):
    """An exception of a server's driver; its SQLSTATE is None where the server has not answered."""

    sqlstate: str | None


class Database:
    """A database by URL or path; a transaction waits up to `wait_s` seconds for those of other processes."""

    def __init__(self, url: str | Path, wait_s: float):
        self.url = read_url(url)
        self._wait_s = wait_s
        with self._explained():
            if self.file is not None and not self.file.is_absolute():
                require_working_folder()  # the driver looks for it, to make the path absolute
        self._engine = _engine(self.url, wait_s)

    @property
    def name(self) -> str:
        """Name for messages: the path of a file, or the URL without its password."""
        return str(self.file or without_password(self.url.render_as_string(hide_password=True)))

    @property
    def file(self) -> Path | None:
        """File of an SQLite database, None for others."""
        return Path(str(self.url.database)) if self.url.get_backend_name() == "sqlite" else None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a transaction that only reads."""
        with self._explained(), self._readable(), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that may write; it commits at the end, or rolls back on an exception."""
        with self._explained(), self._engine.connect() as connection:
            connection = connection.execution_options(arena_begin="BEGIN IMMEDIATE")
            with connection.begin():
                yield connection

    def write_ahead(self) -> None:
        """Switch an SQLite file to WAL mode, permanently."""
        if self.file is not None:
            with self._explained(), self._engine.connect() as connection:
                connection = connection.execution_options(arena_begin="")  # it cannot be changed in a transaction
                connection.exec_driver_sql("PRAGMA journal_mode=WAL")

    def require_whole(self) -> None:
        """Raise `UsageError` for a truncated SQLite file, which SQLite itself may notice late or never."""
        if self.file is None or not self.file.exists():
            return
        if not self.file.is_file():
            with self._explained():
                raise UsageError(FAULTS["SQLITE_CANTOPEN"])
        with self.reading() as connection:
            pages, size = (
                connection.exec_driver_sql(f"PRAGMA {of}").scalar_one() for of in ("page_count", "page_size")
            )
            log = Path(f"{self.file}-wal")
            all_in_the_file = not log.exists() or log.stat().st_size == 0
            if all_in_the_file and self.file.stat().st_size < pages * size:
                raise UsageError(FAULTS["SQLITE_CORRUPT"])

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise UsageError(f"store {self.name}: {self._fault(error)}") from error
        except SQLAlchemyError as error:
            raise UsageError(f"store {self.name}: {self._without_password(error)}") from error
        except UsageError as error:
            raise UsageError(f"store {self.name}: {error}") from error

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Report values of the wrong type, which SQLite allows in any column, as a damaged store."""
        try:
            yield
        except (UsageError, SQLAlchemyError):
            raise
        except (RecursionError, ArithmeticError, ValueError, TypeError) as error:
            raise UsageError(f"it holds values of wrong types: {_reason(error)}") from error

    def _without_password(self, error: BaseException) -> str:
        """Return the message of an error in a line, without the password of this database."""
        message, password = _reason(error), self.url.password
        return message.replace(str(password), "***") if password else message

    def _fault(self, error: DBAPIError) -> str:
        """Return the meaning of a driver's exception: SQLite's by name, PostgreSQL's by SQLSTATE."""
        name = error.orig.sqlite_errorname if isinstance(error.orig, SqliteError) else ""
        state = (error.orig.sqlstate or "") if isinstance(error.orig, ServerError) else ""
        for known, words in FAULTS.items():
            if name.startswith(known) or state.startswith(known):
                return words.format(wait_s=self._wait_s)
        return self._without_password(error.orig or error)


SQLITE = b"SQLite format 3\0"
"""The beginning of every SQLite file."""
FAULTS = {
    "SQLITE_BUSY": "another process has been writing to it for {wait_s:g} s; try again when it has ended",
    "55P03": "another process has been writing to it for {wait_s:g} s; try again when it has ended",
    "SQLITE_FULL": "the disk is full; make room, and the same command goes on",
    "SQLITE_IOERR": "the disk is full or broken: a file could not be read or written",
    "53100": "the disk of the database server is full",
    "SQLITE_CORRUPT": "the file is damaged; restore it from a copy",
    "SQLITE_NOTADB": "it is not a store: the file is not an SQLite database",
    "SQLITE_READONLY": "the file or its folder is read-only",
    "SQLITE_CANTOPEN": "the file cannot be opened or made here",
}


def is_store(text: str) -> bool:
    """Return whether a text names a store: the URL of a database, or a file of SQLite."""
    if "://" in text:
        return True
    try:
        with open_regular(text, follow=True) as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError:
        return False


def read_url(url: str | Path) -> URL:
    """Return the URL of a store; a text without :// is the path of an SQLite file. `UsageError` if malformed."""
    try:
        read = make_url(str(url)) if "://" in str(url) else URL.create("sqlite", database=str(url))
        if read.drivername == "postgresql":
            read = read.set(drivername="postgresql+psycopg")
        read.get_dialect()
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        shown = without_password(str(url))
        raise UsageError(
            f"store {shown!r} is neither a path nor a URL like sqlite:///arena.db: {_reason(error)}"
        ) from None
    if read.get_backend_name() == "sqlite" and read.database in (None, "", ":memory:"):
        raise UsageError(
            f"a store is a file, and {str(url)!r} names none; a path or a URL like sqlite:///arena.db does"
        )
    return read


def _engine(url: URL, wait_s: float) -> Engine:
    backend = url.get_backend_name()
    arguments: dict[str, Any] = {}
    if backend == "sqlite":
        arguments = {"timeout": wait_s, "isolation_level": None}  # the driver begins none: `_begin_sqlite` does
    elif backend == "postgresql" and "connect_timeout" not in url.query:
        arguments = {"connect_timeout": CONNECT_S}
    try:
        engine = create_engine(url, connect_args=arguments, pool_pre_ping=backend != "sqlite")  # servers may restart
    except ModuleNotFoundError as error:
        extra = f"; {install_command('postgres')}" if backend == "postgresql" else ""
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
    connection.execute("PRAGMA trusted_schema=OFF")  # views and triggers of a file that others have made
    connection.execute("PRAGMA wal_autocheckpoint=16384")  # 64 MiB of log: a page that many change moves over once


def _begin_sqlite(connection: Connection) -> None:
    """Begin a transaction; a writing one locks at once, as SQLite cannot wait for a lock requested later."""
    begin = connection.get_execution_options().get("arena_begin", "BEGIN")
    if begin:
        connection.exec_driver_sql(begin)


def _begin_postgresql(connection: Connection, wait_s: float) -> None:
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = {max(1, round(wait_s * 1000))}")  # 0 would wait for ever


def _reason(error: BaseException) -> str:
    """Return the first line of an error's message, without passwords."""
    return without_password(next(iter(str(error).splitlines()), type(error).__name__))
