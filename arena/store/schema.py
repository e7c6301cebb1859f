"""The tables of a store, their version, and upgrades from older versions.

Names and labels are stored once and referred to by number; moves are bytes (`arena.store.moves`). Ratings are not
stored: they are a function of the matches. Times are seconds since 1970 (UTC).
"""

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Connection,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    func,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.schema import CreateColumn

from arena.base.errors import UsageError

VERSION = 8
"""Version of the tables below; written into every store."""

METADATA = MetaData()
ID = BigInteger().with_variant(Integer, "sqlite")  # only an INTEGER key numbers itself there

schema = Table("arena_schema", METADATA, Column("version", Integer, nullable=False))

games = Table(
    "games",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("label", Text, nullable=False, unique=True),  # name and all options, `tic_tac_toe(m=3, n=3, k=3)`
)

players = Table(
    "players",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
)

lineages = Table(
    "lineages",
    METADATA,
    Column("child", ForeignKey(players.c.id), primary_key=True),
    Column("parent", ForeignKey(players.c.id), primary_key=True),
    Index("lineages_by_parent", "parent"),
    sqlite_with_rowid=False,
)

runs = Table(
    "runs",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("kind", Text, nullable=False),  # "tournament", "import", ...
    Column("key", Text, nullable=False, unique=True),  # of everything that fixes its matches
    Column("game", Text),  # label; none where it holds matches of several games
    Column("config", JSON, nullable=False),
    Column("players", JSON, nullable=False),  # names, in the order in which they were entered
    Column("started", Double, nullable=False),
    Column("finished", Double),  # none while it goes on
)

matches = Table(
    "matches",
    METADATA,
    Column("id", ID, primary_key=True, autoincrement=False),  # the writer assigns it
    Column("run", ForeignKey(runs.c.id), nullable=False),
    Column("number", BigInteger, nullable=False),  # place in the schedule of the run
    Column("game", ForeignKey(games.c.id), nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("opening", Integer, nullable=False),  # how many of the moves were given
    Column("length", Integer, nullable=False),  # moves in all
    Column("moves", LargeBinary, nullable=False),
    Column("reason", Text, nullable=False),  # a word of `Reason`
    Column("offender", SmallInteger),  # seat
    Column("detail", Text, nullable=False),
    Column("added", Double, nullable=False),
    Column("move_ms", LargeBinary),  # how long each move took, as bytes; none where that was not measured
    Column("shown", LargeBinary),  # what was shown at each step, compressed; none where the match can be played again
    Column("transcripts", LargeBinary),  # what agents were asked and answered in words, compressed; none without any
    Column("start", Text),  # position that it began with, in the game's own text; none for the usual one
    UniqueConstraint("run", "number", name="matches_once_a_run"),
    Index("matches_by_game", "game", "id"),
    Index("matches_by_run", "run", "id"),
)

seats = Table(
    "seats",
    METADATA,
    Column("match", ForeignKey(matches.c.id), primary_key=True),
    Column("seat", SmallInteger, primary_key=True),
    Column("player", ForeignKey(players.c.id), nullable=False),
    Column("earned", Double, nullable=False),  # its return
    Column("result", SmallInteger, nullable=False),  # 1 won, 0 drawn, -1 lost
    Index("seats_by_player", "player", "match", "result"),
    sqlite_with_rowid=False,
)

league_snapshots = Table(
    "league_snapshots",
    METADATA,
    Column("league", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("role", Text, nullable=False),
    Column("learner", Text, nullable=False),
    Column("generation", Integer, nullable=False),
    Column("step", BigInteger, nullable=False),
    Column("parent", Text),
    Column("sha256", Text, nullable=False),
    Column("added", Double, nullable=False),
    sqlite_with_rowid=False,
)

league_counts = Table(
    "league_counts",
    METADATA,
    Column("league", Text, primary_key=True),
    Column("kind", Text, primary_key=True),  # "training", "evaluation"
    Column("player", Text, primary_key=True),
    Column("opponent", Text, primary_key=True),
    Column("wins", BigInteger, nullable=False),
    Column("draws", BigInteger, nullable=False),
    Column("losses", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)


def _to_2(connection: Connection) -> None:
    """Add an index of the matches of a run by number."""
    next(index for index in matches.indexes if index.name == "matches_by_run").create(connection)


def _to_3(connection: Connection) -> None:
    """Add the tables of shared leagues."""
    METADATA.create_all(connection, [league_snapshots, league_counts])


def _to_4(connection: Connection) -> None:
    """Add the times of moves."""
    _add_column(connection, matches.c.move_ms)


def _to_5(connection: Connection) -> None:
    """Drop the ratings of single tournaments, each of which had a zero of its own, and the sums beside them."""
    for table in ("ratings", "totals"):
        connection.execute(text(f"DROP TABLE {table}"))


def _to_6(connection: Connection) -> None:
    """Add what matches have shown that cannot be played again."""
    _add_column(connection, matches.c.shown)


def _to_7(connection: Connection) -> None:
    """Add what agents were asked and answered in words."""
    _add_column(connection, matches.c.transcripts)


def _to_8(connection: Connection) -> None:
    """Add the positions that matches began with."""
    _add_column(connection, matches.c.start)


def _add_column(connection: Connection, column: Column[Any]) -> None:
    described = CreateColumn(column).compile(dialect=connection.dialect)
    connection.execute(text(f"ALTER TABLE {column.table} ADD COLUMN {described}"))


UPGRADES: Mapping[int, Callable[[Connection], None]] = dict(
    enumerate((_to_2, _to_3, _to_4, _to_5, _to_6, _to_7, _to_8), start=1)
)
"""Upgrade from each older version to the next."""


SINCE_1 = {table.name for table in METADATA.sorted_tables} - {league_snapshots.name, league_counts.name}
"""Tables of every version."""


def version_of(connection: Connection) -> int | None:
    """Return the version of a store; None for an empty database, `UsageError` for one that is no store."""
    tables = inspect(connection).get_table_names()
    if not tables:
        return None
    if schema.name not in tables:
        raise UsageError(f"it is not a store, but another database (tables {', '.join(sorted(tables)[:3])})")
    version = connection.execute(select(func.max(schema.c.version))).scalar_one()
    if type(version) is not int or version < 1:
        raise UsageError(f"it is not a store: its version is given as {version!r}")
    missing = sorted(SINCE_1 - set(tables))
    if missing:
        raise UsageError(f"it is not a store: it has no table {', '.join(missing)}")
    if version > VERSION:
        raise UsageError(
            f"it is a store of version {version}, written by a newer arena; this one reads up to {VERSION}"
        )
    return version


def make_current(connection: Connection) -> None:
    """Create the tables in an empty database, or upgrade those of an older version."""
    if connection.dialect.name == "postgresql":  # one process at a time; SQLite's writers lock anyway
        connection.execute(text("SELECT pg_advisory_xact_lock(4711)"))
    version = version_of(connection)
    if version is None:
        METADATA.create_all(connection)
        connection.execute(insert(schema).values(version=VERSION))
        return
    for older in range(version, VERSION):
        UPGRADES[older](connection)
        connection.execute(update(schema).values(version=older + 1))


def take_turn(connection: Connection) -> None:
    """Lock the store for writing until the end of the transaction; `UsageError` if another process has upgraded it.

    SQLite locks its file when a writing transaction begins; other databases lock this row.
    """
    version = connection.execute(select(schema.c.version).with_for_update()).scalar_one()
    if version != VERSION:
        raise UsageError(f"a newer arena has made it a store of version {version} in the meantime")
