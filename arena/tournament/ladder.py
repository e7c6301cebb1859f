"""Ladders: all games of a game in a store under one clock, rated in one fit.

Ratings of single tournaments cannot be ranked, as each has a zero of its own.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from arena.base.errors import UsageError
from arena.match.limits import Limits, clock_of
from arena.ratings.anchors import MEAN
from arena.store import Selection, Store
from arena.tournament.standings import Standings, require_anchor
from arena.tournament.tables import table_for
from arena.tournament.tally import Played, from_store
from arena.tournament.teams import Teams
from games.engine.game import Game


@dataclass(frozen=True)
class Ladder:
    """The players of a game under one clock, rated together."""

    clock: str
    """The clock in words, as in `clock_words`."""
    table: Standings | Teams


def clock_words(config: Mapping[str, Any]) -> str:
    """Return the clock of a run in words, by its configuration: `1s a move, 2m a game`, or `no clock`."""
    return limits_words(clock_of(config))


def limits_words(limits: Limits) -> str:
    """Return the clock of limits in words."""
    if limits.clock is not None:
        return f"clock {limits.clock}"
    parts = [(limits.time_per_move, "a move"), (limits.time_per_game, "a game")]
    return ", ".join(f"{time} {what}" for time, what in parts if time) or "no clock"


def runs_by_clock(store: Store, game: str) -> dict[str, tuple[int, ...]]:
    """Return the numbers of the runs of a game (its label), by their clock in words."""
    numbers_by_clock = defaultdict[str, list[int]](list)
    for run in store.runs(game):
        try:
            numbers_by_clock[clock_words(run.config)].append(run.id)
        except (UsageError, TypeError, AttributeError) as error:
            raise UsageError(f"store {store.name}: run {run.id} is damaged: {error}") from None
    return {clock: tuple(numbers) for clock, numbers in numbers_by_clock.items()}


def find_ladders(store: Store, game: Game, wanted: Selection | None = None, anchor: str | None = None) -> list[Ladder]:
    """Return a ladder for every clock under which a game was played, that of most games first.

    `wanted` selects matches; without it all of the game count. `anchor` is as in `table_of`, for the ladders on which
    it stands; `UsageError` if it stands on none.
    """
    wanted = wanted or Selection(game.label)
    played_by_clock: list[tuple[str, Played]] = []
    for clock, runs in runs_by_clock(store, game.label).items():
        chosen = runs if wanted.runs is None else tuple(sorted(set(runs) & set(wanted.runs)))
        played = from_store(store.results(replace(wanted, runs=chosen), itself=not game.competitive))
        if played.names:
            played_by_clock.append((clock, played))
    names = sorted({name for _, played in played_by_clock for name in played.names})
    if played_by_clock:
        require_anchor(anchor, names)
    tables = [Ladder(clock, table_for(game, played, _standing(anchor, played))) for clock, played in played_by_clock]
    return sorted(tables, key=lambda ladder: -ladder.table.games)


def _standing(anchor: str | None, played: Played) -> str | None:
    """Return the anchor if it is among the players, else None."""
    return anchor if anchor in (*played.names, MEAN) else None
