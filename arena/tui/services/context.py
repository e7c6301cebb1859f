"""The user's surroundings in files: runs, stored matches, ladders, games. All of it may be missing.

Heavy imports are delayed until needed: the first frame of a screen must not wait for numba or a database.
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from arena.base.errors import UsageError
from arena.base.passwords import without_password
from arena.policy.registry import AGENTS, make_game
from arena.tui.services.game_facts import GameFacts, facts_of
from games.engine.identity import name_of

if TYPE_CHECKING:
    from arena.store import Store, StoredMatch
    from arena.tournament.ladder import Ladder
    from arena.training.follow import FoundRun

SHARE = 0.05
"""Largest share of time for rating a game whose matches go on."""
RATING_S = 0.1
"""Seconds after which no further game is rated in one go."""
RECENT = 50
"""Maximum number of matches listed."""


@dataclass(frozen=True)
class Inventory:
    """Runs and matches found at one moment."""

    runs: tuple["FoundRun", ...] = ()
    matches: tuple["StoredMatch", ...] = ()
    """The latest matches, newest first."""
    facts: Mapping[str, GameFacts] = field(default_factory=dict)
    """Facts of their games, by label."""
    stored: int = 0
    """Number of matches in the store."""
    error: str = ""
    """Why the store cannot be read, in one line; empty if it can, or does not exist yet."""

    @property
    def agents(self) -> list[str]:
        """Specs of usable agents: those trained here, and all that are registered."""
        return [run.agent for run in self.runs if run.status.snapshots] + AGENTS.names()


@dataclass(frozen=True)
class GameLadder:
    """Ladders of a game."""

    game: str
    """Label of the game."""
    ladders: Sequence["Ladder"] = ()
    """A ladder for each clock, that of most games first."""
    specs: Mapping[str, str] = field(default_factory=dict)
    """Specs of the players by name, as far as the store says them."""


class LazyStore:
    """A store opened once it exists, and closed when its file is deleted: an open file could be read long after."""

    def __init__(self, url: str):
        self.url = url
        self._store: Store | None = None

    def get(self) -> "Store | None":
        """Return the store, None if it does not exist yet; `UsageError` if it cannot be read or was deleted."""
        from arena.store import Store

        if "://" not in self.url and not Path(self.url).exists():
            if self._store is not None:
                self.close()
                raise UsageError(f"the store {without_password(str(self.url))} is gone")
            return None
        if self._store is None:
            self._store = Store(self.url, create=False, wait_s=5.0)
        return self._store

    def close(self) -> None:
        """Close the store."""
        if self._store is not None:
            self._store.close()
            self._store = None


class ArenaContext:
    """Reads runs and store; its methods block on the disk and belong to one thread.

    Args:
        runs: folder of the runs.
        store: path or URL of the store.

    """

    def __init__(self, runs: Path, store: str):
        self.runs = runs
        self._store = LazyStore(store)
        self._ladders: dict[str, tuple[GameLadder, int, float]] = {}  # by label, with newest match, and kept until
        self._unknown: set[str] = set()  # labels of games that are not installed here

    def poll(self) -> Inventory:
        """Return what there is now."""
        from arena.training.follow import find_runs

        runs = tuple(find_runs(self.runs))
        try:
            store = self._store.get()
            if store is None:
                return Inventory(runs)
            matches = tuple(store.matches(limit=RECENT))
            facts = {label: facts_of(label) for label in {match.record.game for match in matches}}
            return Inventory(runs, matches, facts, store.count())
        except UsageError as error:
            self._store.close()
            return Inventory(runs, error=str(error))

    def ladder(self, game: str) -> GameLadder:
        """Return the ladders of a game by name: with default options, else with others that were played.

        They are kept until the store has new matches, and so long that rating takes a small share of the time.
        """
        label = make_game(game).label
        with suppress(UsageError):
            store = self._store.get()
            if store is not None:
                played = [other for other in store.games() if name_of(other) == name_of(label)]
                label = label if label in played or not played else played[0]
                return self._rated(store, label)
        return GameLadder(label)

    def strongest(self) -> list[GameLadder]:
        """Return the ladders of all games of the store in which somebody is rated, as far as they are known.

        They become known in a share of the time, those longest out of date first.
        """
        with suppress(UsageError):
            store = self._store.get()
            if store is not None:
                labels = [label for label in store.games() if label not in self._unknown]
                self._rate_some(store, labels)
                known = [self._ladders[label][0] for label in labels if label in self._ladders]
                return [ladder for ladder in known if ladder.ladders]
        return []

    def _rate_some(self, store: "Store", labels: Sequence[str]) -> None:
        """Rate games until a share of the time between two calls is spent."""
        began = time.monotonic()
        for label in sorted(labels, key=lambda label: self._ladders[label][2] if label in self._ladders else 0.0):
            try:
                self._rated(store, label)
            except UsageError:  # its game is not installed here
                self._unknown.add(label)
            if time.monotonic() - began > RATING_S:
                return

    def _rated(self, store: "Store", label: str) -> GameLadder:
        from arena.tournament.entrants import known_specs
        from arena.tournament.ladder import find_ladders

        newest, now = store.newest(), time.monotonic()
        ladder, known, until = self._ladders.get(label, (GameLadder(label), -1, 0.0))
        if known == newest or now < until:
            return ladder
        ladder = GameLadder(label, find_ladders(store, make_game(label)), known_specs(store, label))
        took = time.monotonic() - now
        self._ladders[label] = ladder, newest, now + took / SHARE
        return ladder

    def traits(self, game: str) -> str:
        """Return the traits of a game, in a few words."""
        made = make_game(game)
        kinds = ["hidden" if not made.perfect_information else "", "chance" if made.has_chance else ""]
        kinds += ["simul." if made.simultaneous else ""]
        return f"{made.num_players}p {' '.join(filter(None, kinds)) or 'perfect'}"

    def close(self) -> None:
        """Close the store."""
        self._store.close()
