"""What there is around a person who opens the arena: runs, stored matches, ladders, games. Everything may be missing.

Nothing heavy is imported before it is asked for: the first picture of a screen does not wait for numba or a database.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import UsageError
from arena.registry import AGENTS, make_game

if TYPE_CHECKING:
    from arena.runs.follow import FoundRun
    from arena.store import LadderRow, Store, StoredMatch

RECENT = 50
"""Matches that are listed."""


@dataclass(frozen=True)
class Found:
    """What was found at one moment."""

    runs: tuple["FoundRun", ...] = ()
    matches: tuple["StoredMatch", ...] = ()
    """The newest, the newest first."""
    stored: int = 0
    """How many matches there are."""
    trouble: str = ""
    """Why the store cannot be read, in a line; empty too where there is none yet."""

    @property
    def agents(self) -> list[str]:
        """Specs of agents that may be named: those trained here, and all that are registered."""
        return [run.agent for run in self.runs if run.status.snapshots] + AGENTS.names()


@dataclass(frozen=True)
class Ladder:
    """The ladder of a game."""

    game: str
    """Its label."""
    rows: Sequence["LadderRow"] = ()


class KeptOpen:
    """A store that is opened once it is there, and watched: a file that is deleted could be read for a long while."""

    def __init__(self, url: str):
        self.url = url
        self._store: Store | None = None

    def get(self) -> "Store | None":
        """The store; None where there is none yet, `UsageError` for one that cannot be read, or is gone."""
        from arena.store import Store

        if "://" not in self.url and not Path(self.url).exists():
            if self._store is not None:
                self.close()
                raise UsageError(f"the store {self.url} is gone")
            return None
        if self._store is None:
            self._store = Store(self.url, create=False, wait_s=5.0)
        return self._store

    def close(self) -> None:
        """Let go of it."""
        if self._store is not None:
            self._store.close()
            self._store = None


class Surroundings:
    """Looks around; its methods take as long as a disk and belong to one thread.

    Args:
        runs: the folder of runs.
        store: path or URL of the store.

    """

    def __init__(self, runs: Path, store: str):
        self.runs = runs
        self._store = KeptOpen(store)

    def look(self) -> Found:
        """What there is now."""
        from arena.runs.follow import find_runs

        runs = tuple(find_runs(self.runs))
        try:
            store = self._store.get()
            if store is None:
                return Found(runs)
            return Found(runs, tuple(store.matches(limit=RECENT)), store.count())
        except UsageError as error:
            self._store.close()
            return Found(runs, trouble=str(error))

    def ladder(self, game: str, limit: int = 50) -> Ladder:
        """The ladder of a game by name: under its usual options, else under others that were played."""
        label = make_game(game).label
        with suppress(UsageError):
            store = self._store.get()
            if store is not None:
                played = [one for one in store.games() if one.partition("(")[0] == label.partition("(")[0]]
                label = label if label in played or not played else played[0]
                return Ladder(label, store.ladder(label, limit))
        return Ladder(label)

    def traits(self, game: str) -> str:
        """What kind of game it is, in a few words."""
        made = make_game(game)
        kinds = ["hidden" if not made.perfect_information else "", "chance" if made.has_chance else ""]
        kinds += ["simul." if made.simultaneous else ""]
        return f"{made.num_players}p {' '.join(filter(None, kinds)) or 'perfect'}"

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()
