"""Exact play of othello endgames."""

import math

import numpy as np
from numpy.typing import NDArray

from agents.perfect.othello_board import board_of
from agents.perfect.othello_search import CANDIDATES, MOST_DISCS, EndgameWorkspace, reaches, search
from agents.perfect.position_table import ENTRY
from arena.base.errors import UsageError
from games.engine.game import Game, State

TABLE_SIZE = 1 << 20
"""Number of positions in the table, of 24 bytes each."""
ENDGAME = {4: 16, 6: 21, 8: 20}
"""Empty cells up to which positions are solved, by the size of the board: in about a second."""


class OthelloSolver:
    """Results of endgames on boards of 4 x 4 (from the start), 6 x 6 and 8 x 8."""

    def __init__(self, game: Game):
        self._size = int(game.options["size"])
        if self._size not in ENDGAME:
            raise UsageError(f"perfect: endgames of othello are solved on sizes 4, 6 and 8, not {game.label}")
        self._space = EndgameWorkspace(
            board_of(self._size),
            np.zeros(TABLE_SIZE, ENTRY),
            np.zeros(MOST_DISCS + 1, CANDIDATES),
            np.zeros(1, np.int64),
        )

    @property
    def num_searched(self) -> int:
        """Number of positions searched so far."""
        return int(self._space.searched[0])

    def seconds(self, state: State) -> float:
        """Return about how many seconds `best` takes for an unfinished position, at most; inf if it is too early."""
        empty, most = self._empty(*self._sides(state)), ENDGAME[self._size]
        return math.inf if empty > most else 2.0 ** (empty - most)

    def score(self, own: np.uint64, other: np.uint64) -> int:
        """Return the lead in discs of the player to move at the end, if both play best; the winner has empty cells."""
        return int(search(own, other, -MOST_DISCS, MOST_DISCS, self._space))

    def best(self, state: State) -> tuple[NDArray[np.bool_], float] | None:
        """Return the best actions [A] of an unfinished position and the return they lead to; None if too early."""
        own, other = self._sides(state)
        if self._empty(own, other) > ENDGAME[self._size]:
            return None
        result = self._result(own, other)
        best = np.zeros(self._size**2 + 1, np.bool_)
        rows, columns = np.nonzero(state["moves"][:, None] >> np.arange(self._size) & 1)
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
            cell = 8 * row + column
            best[row * self._size + column] = result < 0 or reaches(own, other, cell, result, self._space)
        best[-1] = not len(rows)
        return best, float(result)

    def value(self, state: State) -> float | None:
        """Return the return of an unfinished position for the player to move; None if too early."""
        own, other = self._sides(state)
        return None if self._empty(own, other) > ENDGAME[self._size] else float(self._result(own, other))

    def _sides(self, state: State) -> tuple[np.uint64, np.uint64]:
        """Return the discs of the player to move, and those of the opponent."""
        seat = int(state["current_player"])
        return self._discs(state, seat), self._discs(state, 1 - seat)

    def _empty(self, own: np.uint64, other: np.uint64) -> int:
        return int(self._space.board.cells & ~(own | other)).bit_count()

    def _result(self, own: np.uint64, other: np.uint64) -> int:
        """Return 1, 0 or -1 by who wins: much faster than by how much."""
        return int(np.sign(search(own, other, -1, 1, self._space)))

    def _discs(self, state: State, seat: int) -> np.uint64:
        rows = state["discs"][seat].astype(np.uint64)
        return np.uint64((rows << np.arange(0, 8 * self._size, 8, dtype=np.uint64)).sum(dtype=np.uint64))
