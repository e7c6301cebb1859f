"""Exact play of othello endgames."""

import numpy as np
from numpy.typing import NDArray

from agents.perfect.othello_search import ENTRY, NODE, after_move, moves_on, search
from arena.base.errors import UsageError
from games.engine.game import Game, State

TABLE_SIZE = 1 << 20
"""Number of positions in the table, of 24 bytes each."""
ENDGAME = {4: 16, 6: 18, 8: 16}
"""Empty cells up to which positions are solved, by the size of the board."""


class OthelloSolver:
    """Results of endgames on boards of 4 x 4 (from the start), 6 x 6 and 8 x 8."""

    def __init__(self, game: Game):
        self._size = int(game.options["size"])
        if self._size not in ENDGAME:
            raise UsageError(f"perfect: endgames of othello are solved on sizes 4, 6 and 8, not {game.label}")
        row = (1 << self._size) - 1
        self._cells = np.uint64(sum(row << (8 * i) for i in range(self._size)))
        self._inner = np.uint64(sum((row >> 1 & ~1) << (8 * i) for i in range(self._size)))
        self._table = np.zeros(TABLE_SIZE, ENTRY)
        self._nodes = np.zeros(2 * self._size**2 + 1, NODE)
        self.num_searched = 0
        """Number of positions searched so far."""

    def is_quick(self, state: State) -> bool:
        """Return True: an endgame takes no more than about a second, and what is earlier is not solved at all."""
        return True

    def best(self, state: State) -> tuple[NDArray[np.bool_], float] | None:
        """Return the best actions [A] of an unfinished position and the return they lead to; None if too early."""
        own, other = self._sides(state)
        if not self._knows(own, other):
            return None
        legal = int(moves_on(own, other, self._cells, self._inner))
        best = np.zeros(self._size**2 + 1, np.bool_)
        score = self._score(own, other, -1, 1)
        if not legal:
            best[-1] = True
        for square in range(64):
            if legal >> square & 1:
                action = square // 8 * self._size + square % 8
                best[action] = self._keeps(own, other, np.uint64(1 << square), score)
        return best, float(score)

    def value(self, state: State) -> float | None:
        """Return the return of an unfinished position for the player to move; None if too early."""
        own, other = self._sides(state)
        return float(self._score(own, other, -1, 1)) if self._knows(own, other) else None

    def _sides(self, state: State) -> tuple[np.uint64, np.uint64]:
        """Return the discs of the player to move, and those of the opponent."""
        seat = int(state["current_player"])
        return self._discs(state, seat), self._discs(state, 1 - seat)

    def _knows(self, own: np.uint64, other: np.uint64) -> bool:
        return int(self._cells & ~(own | other)).bit_count() <= ENDGAME[self._size]

    def _keeps(self, own: np.uint64, other: np.uint64, move: np.uint64, score: int) -> bool:
        """Return whether a move leads to at least this score."""
        if score == -1:
            return True
        own, other = after_move(move, own, other, self._inner)
        return self._score(np.uint64(own), np.uint64(other), -score, 1 - score) <= -score

    def _score(self, own: np.uint64, other: np.uint64, low: int, high: int) -> int:
        score, num_searched = search(own, other, low, high, self._cells, self._inner, self._table, self._nodes)
        self.num_searched += num_searched
        return int(score)

    def _discs(self, state: State, seat: int) -> np.uint64:
        rows = state["discs"][seat].astype(np.uint64)
        return np.uint64((rows << np.arange(0, 8 * self._size, 8, dtype=np.uint64)).sum(dtype=np.uint64))
