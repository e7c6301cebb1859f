"""The store: operations for tournaments, leagues and screens, each a transaction of its own."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection

from arena.base.errors import UsageError
from arena.match.verdict import MatchRecord
from arena.store import leagues, matches, players, results, runs, schema
from arena.store.database import Database
from arena.store.leagues import ResultCount, Snapshot
from arena.store.matches import MatchFilter, StoredMatch
from arena.store.results import Selection, StoredResults
from arena.store.runs import StoredRun

PAGE = 2000
"""Matches read per transaction."""
EVERYTHING = MatchFilter()


class Store:
    """Players, matches and ratings in a SQL database: an SQLite file by its path, any other by its SQLAlchemy URL.

    An empty database gets its tables, an older store is upgraded. With `create` False a missing store is an error. Any
    number of processes may read and write; a writer waits up to `wait_s` seconds for its turn. Methods that write are
    atomic: once they return, everything is on disk; if they raise, nothing is. Errors of the database are `UsageError`s
    of one line: unreachable, no store, damaged, full, read-only, or written by a newer arena.
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
        """Path of the file, or URL without the password."""
        return self._database.name

    def close(self) -> None:
        """Close all connections."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a transaction that only reads, for who keeps tables of its own beside those of the store."""
        with self._database.reading() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a writing transaction; there is one at a time. It commits at the end, or rolls back on an exception."""
        with self._database.writing() as connection:
            schema.take_turn(connection)
            yield connection

    def open_run(
        self, kind: str, key: str, game: str | None, config: dict[str, Any], players: Sequence[str]
    ) -> StoredRun:
        """Begin or resume the run of a key.

        `game` is the label of its game, None for several. `config` is stored as JSON. Raises `UsageError` if the run
        exists with another kind, game or players.
        """
        with self.writing() as connection:
            return runs.open_run(connection, kind, key, game, config, players)

    def add_games(self, run: int, played: Iterable[tuple[int, MatchRecord]]) -> None:
        """Add matches by their number in the run; existing numbers stay unchanged."""
        with self.writing() as connection:
            matches.add_games(connection, run, played)

    def finish_run(self, run: int) -> None:
        """Mark a run as finished: all its matches are stored."""
        with self.writing() as connection:
            runs.finish_run(connection, run)

    def add_run(
        self,
        kind: str,
        key: str,
        game: str | None,
        config: dict[str, Any],
        players: Sequence[str],
        played: Iterable[tuple[int, MatchRecord]],
    ) -> StoredRun:
        """Add a finished run with all its matches in one transaction; existing matches stay unchanged."""
        with self.writing() as connection:
            run = runs.open_run(connection, kind, key, game, config, players)
            matches.add_games(connection, run.id, played)
            runs.finish_run(connection, run.id)
            return run

    def played(self, run: int) -> Iterator[tuple[int, MatchRecord]]:
        """Yield the matches of a run in order of number; each page is a transaction of its own."""
        after = -1
        while True:
            with self._database.reading() as connection:
                page = matches.played(connection, run, after, PAGE)
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1][0]

    def match(self, number: int) -> StoredMatch:
        """Return the match of a number; `UsageError` if there is none."""
        with self._database.reading() as connection:
            return matches.match_numbered(connection, number)

    def matches(
        self, wanted: MatchFilter = EVERYTHING, *, limit: int = 50, before_id: int | None = None, skip: int = 0
    ) -> list[StoredMatch]:
        """Return up to `limit` matches that fit, the newest first, without the first `skip`.

        With `before_id`, only matches below that number.
        """
        with self._database.reading() as connection:
            return matches.matches_like(connection, wanted, limit, before_id, skip)

    def count(self, wanted: MatchFilter = EVERYTHING, *, before_id: int | None = None) -> int:
        """Return the number of matches that fit, with `before_id` only those below that number."""
        with self._database.reading() as connection:
            return matches.count_like(connection, wanted, before_id)

    def newest(self) -> int:
        """Return the highest number of a match, 0 if there are none."""
        with self._database.reading() as connection:
            return matches.newest(connection)

    def games(self) -> list[str]:
        """Return the labels of all games with matches, sorted."""
        with self._database.reading() as connection:
            return players.games_played(connection)

    def players(self, limit: int | None = 1000) -> list[str]:
        """Return the first `limit` names of players in alphabetical order; with None all of them."""
        with self._database.reading() as connection:
            return players.names(connection, limit)

    def each_match(self, wanted: MatchFilter = EVERYTHING, after: int = 0) -> Iterator[StoredMatch]:
        """Yield all matches that fit above number `after`, the oldest first; each page is a transaction of its own."""
        while True:
            with self._database.reading() as connection:
                page = matches.matches_after(connection, wanted, after, PAGE)
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1].id

    def results(self, wanted: Selection, itself: bool = False) -> StoredResults:
        """Return the results of matches of a game, summed up; with `itself`, those of a player against itself alone."""
        with self._database.reading() as connection:
            return results.results(connection, wanted, itself)

    def run(self, number: int) -> StoredRun:
        """Return the run of a number; `UsageError` if there is none."""
        with self._database.reading() as connection:
            return runs.run_numbered(connection, number)

    def runs(self, game: str) -> list[StoredRun]:
        """Return the runs of a game (its label), and those of several games, the oldest first."""
        with self._database.reading() as connection:
            return runs.runs_of(connection, game)

    def add_parent(self, child: str, parent: str) -> None:
        """Record that `child` was made from `parent`; `UsageError` if that makes a cycle."""
        with self.writing() as connection:
            players.add_parent(connection, child, parent)

    def ancestors(self, player: str) -> list[str]:
        """Return parents, grandparents and so on of a player; the nearest first."""
        with self._database.reading() as connection:
            return players.ancestors(connection, player)

    def add_snapshots(self, league: str, rows: Sequence[Snapshot]) -> None:
        """Add snapshots to a shared league and leave stored ones unchanged; `UsageError` for another hash."""
        with self.writing() as connection:
            leagues.add_snapshots(connection, league, rows)

    def snapshots(self, league: str) -> list[Snapshot]:
        """Return the snapshots of a shared league, in order of addition."""
        with self._database.reading() as connection:
            return leagues.snapshots_of(connection, league)

    def put_counts(self, league: str, rows: Sequence[ResultCount]) -> None:
        """Replace counts of a shared league with the same kind, player and opponent."""
        with self.writing() as connection:
            leagues.put_counts(connection, league, rows)

    def counts(self, league: str) -> list[ResultCount]:
        """Return all counts of a shared league."""
        with self._database.reading() as connection:
            return leagues.counts_of(connection, league)

    def _begin(self, create: bool) -> None:
        self._database.require_whole()
        with self._database.reading() as connection:
            version = schema.version_of(connection)
        if version is None and not create:
            raise UsageError(f"store {self.name} is empty")
        if version is None:
            self._database.write_ahead()
        if version != schema.VERSION:
            with self._database.writing() as connection:
                schema.make_current(connection)

    def _make_folder(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"store {self.name}: no folder can be made for it ({error.strerror})") from None
