"""The store: what tournaments, leagues and screens ask of the database, each in a transaction of its own."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection

from arena.errors import UsageError
from arena.match.verdict import MatchRecord
from arena.store import leagues, matches, players, runs, schema
from arena.store.database import Database
from arena.store.leagues import Count, Snapshot
from arena.store.matches import MatchFilter, StoredMatch
from arena.store.players import LadderRow, Rating
from arena.store.runs import Run

PAGE = 2000
"""Matches that are read at a time."""
EVERYTHING = MatchFilter()


class Store:
    """Players, matches and ratings in a SQL database: an SQLite file by its path, any other by its SQLAlchemy URL.

    An empty database gets its tables, an older store is brought up to date; with `create` False, one that is not there
    yet is refused. Any number of processes may read and write: a writer waits up to `wait_s` seconds for its turn. A
    method that writes has written all of it once it returns, or nothing if it raises. Everything that is wrong with
    the database itself is a `UsageError` of one line: not to be reached, no store, damaged, full, read-only, written
    by a newer arena.
    """

    def __init__(self, url: str | Path, *, create: bool = True, wait_s: float = 30.0):
        self._database = Database(url, wait_s)
        file = self._database.file
        if file is not None and not file.exists():
            if not create:
                raise UsageError(f"there is no store {self._database.name}")
            self._make_folder(file.parent)
        try:
            self._begin(create)
        except BaseException:
            self.close()
            raise

    @property
    def name(self) -> str:
        """The path of its file, or its URL without the password."""
        return self._database.name

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def open_run(self, kind: str, key: str, game: str | None, config: dict[str, Any], players: Sequence[str]) -> Run:
        """Begin the run with that key, or go on with it.

        `game` is the label of its game, None for several. `config` is kept as JSON. Raises `UsageError` if the key is
        that of a run of another kind, game or players.
        """
        with self._writing() as connection:
            return runs.open_run(connection, kind, key, game, config, players)

    def add_games(self, run: int, played: Iterable[tuple[int, MatchRecord]]) -> None:
        """Add matches, each with its number in the run; one whose number is there already is left as it is."""
        with self._writing() as connection:
            matches.add_games(connection, run, played)

    def finish_run(self, run: int) -> None:
        """Note that all matches of a run are there."""
        with self._writing() as connection:
            runs.finish_run(connection, run)

    def add_run(
        self,
        kind: str,
        key: str,
        game: str | None,
        config: dict[str, Any],
        players: Sequence[str],
        played: Iterable[tuple[int, MatchRecord]],
    ) -> Run:
        """Add a run with all its matches at once, or nothing; one that is there already is left as it is."""
        with self._writing() as connection:
            run = runs.open_run(connection, kind, key, game, config, players)
            matches.add_games(connection, run.id, played)
            runs.finish_run(connection, run.id)
            return run

    def played(self, run: int) -> Iterator[tuple[int, MatchRecord]]:
        """The matches of a run, in order of number; read in pages, between which others may write."""
        after = -1
        while True:
            with self._database.reading() as connection:
                page = matches.played(connection, run, after, PAGE)
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1][0]

    def match(self, number: int) -> StoredMatch:
        """The match with that number; `UsageError` if there is none."""
        with self._database.reading() as connection:
            return matches.match_numbered(connection, number)

    def matches(
        self, wanted: MatchFilter = EVERYTHING, *, limit: int = 50, before_id: int | None = None, skip: int = 0
    ) -> list[StoredMatch]:
        """The newest matches that fit, the newest first, without the first `skip`.

        `before_id` asks for those below that number.
        """
        with self._database.reading() as connection:
            return matches.matches_like(connection, wanted, limit, before_id, skip)

    def count(self, wanted: MatchFilter = EVERYTHING, *, before_id: int | None = None) -> int:
        """How many matches fit, of those below `before_id`."""
        with self._database.reading() as connection:
            return matches.count_like(connection, wanted, before_id)

    def newest(self) -> int:
        """The highest number of a match, 0 where there is none."""
        with self._database.reading() as connection:
            return matches.newest(connection)

    def games(self) -> list[str]:
        """The labels of the games that somebody has played, sorted."""
        with self._database.reading() as connection:
            return players.games_played(connection)

    def players(self, limit: int = 1000) -> list[str]:
        """Names of players, sorted."""
        with self._database.reading() as connection:
            return players.names(connection, limit)

    def each_match(self, wanted: MatchFilter = EVERYTHING) -> Iterator[StoredMatch]:
        """All matches that fit, the oldest first."""
        after = 0
        while True:
            with self._database.reading() as connection:
                page = matches.matches_after(connection, wanted, after, PAGE)
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1].id

    def ladder(self, game: str, limit: int | None = None) -> list[LadderRow]:
        """The players of a game (its label) over all runs, the highest rated first, the unrated ones last."""
        with self._database.reading() as connection:
            return players.ladder(connection, game, limit)

    def add_ratings(self, run: int, rows: Sequence[Rating]) -> None:
        """Add ratings in the game of a run; the latest of a player is the one that the ladder shows."""
        with self._writing() as connection:
            players.add_ratings(connection, run, rows)

    def ratings(self, player: str, game: str) -> list[Rating]:
        """The ratings of a player in a game (its label) over time, the oldest first."""
        with self._database.reading() as connection:
            return players.ratings_of(connection, player, game)

    def add_parent(self, child: str, parent: str) -> None:
        """Note that a player was made from another; `UsageError` if that would make it its own ancestor."""
        with self._writing() as connection:
            players.add_parent(connection, child, parent)

    def ancestors(self, player: str) -> list[str]:
        """Parents of a player, their parents, and so on; the nearest first."""
        with self._database.reading() as connection:
            return players.ancestors(connection, player)

    def add_snapshots(self, league: str, rows: Sequence[Snapshot]) -> None:
        """Add snapshots to a shared league; those that are there stay. `UsageError` for a name that is another's."""
        with self._writing() as connection:
            leagues.add_snapshots(connection, league, rows)

    def snapshots(self, league: str) -> list[Snapshot]:
        """The snapshots of a shared league, in the order in which they were added."""
        with self._database.reading() as connection:
            return leagues.snapshots_of(connection, league)

    def put_counts(self, league: str, rows: Sequence[Count]) -> None:
        """Put counts of a shared league in place of what was told of the same games before."""
        with self._writing() as connection:
            leagues.put_counts(connection, league, rows)

    def counts(self, league: str) -> list[Count]:
        """All counts of a shared league."""
        with self._database.reading() as connection:
            return leagues.counts_of(connection, league)

    def _begin(self, create: bool) -> None:
        self._database.require_whole()
        with self._database.reading() as connection:
            found = schema.version_of(connection)
        if found is None and not create:
            raise UsageError(f"store {self.name} is empty")
        if found is None:
            self._database.write_ahead()
        if found != schema.VERSION:
            with self._database.writing() as connection:
                schema.make_current(connection)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """A transaction that writes; there is one at a time."""
        with self._database.writing() as connection:
            schema.take_turn(connection)
            yield connection

    def _make_folder(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"store {self.name}: no folder can be made for it ({error.strerror})") from None
