"""Exact play of tic-tac-toe on small boards."""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from agents.perfect.tic_tac_toe_search import MOST_CELLS, NODE, BoardGeometry, search
from arena.base.errors import UsageError
from games.engine.game import Game, State
from games.engine.jit import Unchecked

TABLE_SIZE = 1 << 21
"""Number of positions in the table, of 8 bytes each."""


class TicTacToeSolver:
    """Scores of positions on m x n boards of at most `MOST_CELLS` cells."""

    def __init__(self, game: Game):
        rows, columns, k = (int(game.options[name]) for name in ("m", "n", "k"))
        self._cells = rows * columns
        if self._cells > MOST_CELLS:
            raise UsageError(f"perfect: tic-tac-toe is solved on boards of up to {MOST_CELLS} cells, not {game.label}")
        self._lines = winning_lines(rows, columns, k)
        bits = np.uint64(1) << np.arange(self._cells, dtype=np.uint64)
        through = (self._lines[:, None] & bits != 0).sum(axis=0)
        self._board = BoardGeometry(self._cells, k, self._lines, order=bits[np.argsort(-through, kind="stable")])
        self._search = Unchecked(search)
        self._bits = bits
        self._table = np.zeros(TABLE_SIZE, np.uint64)
        self._nodes = np.zeros(self._cells + 1, NODE)

    def score(self, own: np.uint64, mask: np.uint64, low: int | None = None, high: int | None = None) -> int:
        """Return the score of an unfinished position for the player to move: exact between `low` and `high`."""
        low, high = (-self._cells if low is None else low), (self._cells if high is None else high)
        return int(self._search.call(own, mask, low, high, self._board, self._table, self._nodes))

    def value(self, state: State) -> float:
        """Return the return of an unfinished position for the player to move."""
        return float(np.sign(self.score(*self._marks(state), -1, 1)))

    def _marks(self, state: State) -> tuple[np.uint64, np.uint64]:
        """Return the marks of the player to move, and all marks."""
        marks = state["board"].ravel()
        own = self._bits[marks == state["current_player"]].sum(dtype=np.uint64)
        return own, self._bits[marks >= 0].sum(dtype=np.uint64)

    def seconds(self, state: State) -> float:
        """Return 0: boards that are solved are small."""
        return 0.0

    def best(self, state: State) -> tuple[NDArray[np.bool_], float]:
        """Return the best actions [A] of an unfinished position, and the return they lead to."""
        own, mask = self._marks(state)
        score = self.score(own, mask)
        best = np.array([self._reaches(own, mask, bit, score) for bit in self._bits])
        return best, float(np.sign(score))

    def _reaches(self, own: np.uint64, mask: np.uint64, move: np.uint64, score: int) -> bool:
        """Return whether a move keeps the score."""
        if mask & move:
            return False
        if ((self._lines & ~(own | move)) == 0).any():
            return True
        if int(mask | move).bit_count() == self._cells:
            return score == 0
        return self.score(own ^ mask, mask | move, -score, 1 - score) <= -score


def winning_lines(rows: int, columns: int, k: int) -> NDArray[np.uint64]:
    """Return every set of `k` cells in a row, column or diagonal once; cells are numbered down the columns."""
    lines = set()
    for row, column, (down, right) in product(range(rows), range(columns), ((1, 0), (0, 1), (1, 1), (-1, 1))):
        last_row, last_column = row + (k - 1) * down, column + (k - 1) * right
        if 0 <= last_row < rows and last_column < columns:
            lines.add(sum(1 << ((column + i * right) * rows + row + i * down) for i in range(k)))
    return np.array(sorted(lines), np.uint64)
