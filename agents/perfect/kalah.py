"""Exact play of kalah: from any position with few seeds left in the houses, and as first player from the start."""

import math

import numpy as np
from numpy.typing import NDArray

from agents.perfect.kalah_book import RULES, shipped_book
from agents.perfect.kalah_search import KalahRules, KalahWorkspace, next_house, search, seeds_in, sow
from agents.perfect.position_table import ENTRY, known_bounds
from arena.base.errors import UsageError
from games.engine.game import Game, State

TABLE_SIZE = 1 << 22
"""Number of positions in the table, of 24 bytes each."""
MOST_HOUSES = 7
"""Of each player: they are the bytes of a word."""
SECOND = 33
"""Seeds in the houses with which the best moves are found within about a second."""
GROWTH = 1.5
"""Factor by which one more seed makes that longer."""
MOST_SEEDS = 36
"""Seeds in the houses up to which positions are solved."""


class KalahSolver:
    """Results of kalah with up to 7 houses a side.

    Args:
        game: the game. Raises `UsageError` if it has more houses.
        table_size: number of positions in the table, a power of two.

    """

    def __init__(self, game: Game, table_size: int = TABLE_SIZE):
        options = game.options
        houses = int(options["houses"])
        if houses > MOST_HOUSES:
            raise UsageError(f"perfect: kalah is solved with up to {MOST_HOUSES} houses, not {game.label}")
        rules = KalahRules(houses, bool(options["empty_capture"]), bool(options["sweep"]))
        self._space = KalahWorkspace(rules, np.zeros(table_size, ENTRY), np.zeros(1, np.int64))
        self._book = shipped_book() if rules == RULES else {}
        self.winning(np.uint64(2), np.uint64(1), 0)  # load all kernels now, before any clock runs

    @property
    def num_searched(self) -> int:
        """Number of positions searched so far."""
        return int(self._space.searched[0])

    def seconds(self, state: State) -> float:
        """Return about how many seconds `best` takes for an unfinished position, at most; inf if it is too early."""
        own, other, lead = self._sides(state)
        if (int(own), int(other), lead) in self._book:
            return 0.0
        return math.inf if is_early(own, other) else math.pow(GROWTH, int(seeds_in(own) + seeds_in(other)) - SECOND)

    def gain(self, own: np.uint64, other: np.uint64) -> int:
        """Return what the player to move still gains on the other, if both play best."""
        most = int(seeds_in(own) + seeds_in(other))
        return int(search(own, other, -most - 1, most + 1, self._space))

    def best(self, state: State) -> tuple[NDArray[np.bool_], float] | None:
        """Return the best actions [A] of an unfinished position and the return they lead to; None if too early.

        In a position of the opening book, it is one of the winning actions.
        """
        own, other, lead = self._sides(state)
        best = np.zeros(self._space.rules.houses, np.bool_)
        if (house := self._book.get((int(own), int(other), lead))) is not None:
            best[house] = True
            return best, 1.0
        if is_early(own, other):
            return None
        result = self._result(own, other, lead)
        for house in np.flatnonzero(state["seeds"][int(state["current_player"]), :-1]).tolist():
            best[house] = result < 0 or self._reaches(own, other, house, result - lead)
        return best, float(result)

    def value(self, state: State) -> float | None:
        """Return the return of an unfinished position for the player to move; None if too early."""
        own, other, lead = self._sides(state)
        if (int(own), int(other), lead) in self._book:
            return 1.0
        return None if is_early(own, other) else float(self._result(own, other, lead))

    def winning(self, own: np.uint64, other: np.uint64, lead: int) -> int | None:
        """Return a house that wins for the player to move, however long it takes to find; None if there is none."""
        known, tried = int(known_bounds(own, other, 0, self._space.table)[2]), 0
        while (house := int(next_house(own, other, tried, known, self._space.rules))) >= 0:
            if self._reaches(own, other, house, 1 - lead):
                return house
            tried |= 1 << house
        return None

    def _sides(self, state: State) -> tuple[np.uint64, np.uint64, int]:
        """Return the houses of the player to move, those of the other, and the lead of the former's store."""
        seat, seeds = int(state["current_player"]), state["seeds"].astype(np.uint64)
        shifts = np.arange(0, 8 * self._space.rules.houses, 8, dtype=np.uint64)
        own, other = ((seeds[one, :-1] << shifts).sum(dtype=np.uint64) for one in (seat, 1 - seat))
        return own, other, int(seeds[seat, -1]) - int(seeds[1 - seat, -1])

    def _result(self, own: np.uint64, other: np.uint64, lead: int) -> int:
        """Return 1, 0 or -1 by who wins: much faster than by how much."""
        return int(np.sign(lead + search(own, other, -lead - 1, -lead + 1, self._space)))

    def _reaches(self, own: np.uint64, other: np.uint64, house: int, gain: int) -> bool:
        """Return whether the player to move gains so much in the end by sowing a house."""
        sown = sow(own, other, house, self._space.rules)
        left = gain - sown.gain
        if sown.again:
            return int(search(sown.own, sown.other, left - 1, left, self._space)) >= left
        return -int(search(sown.other, sown.own, -left, 1 - left, self._space)) >= left


def is_early(own: np.uint64, other: np.uint64) -> bool:
    """Return whether there are too many seeds in the houses for a position to be solved."""
    return int(seeds_in(own) + seeds_in(other)) > MOST_SEEDS
