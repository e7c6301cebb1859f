"""Connect Four, played exactly: the opening from a book, everything after it by search to the end.

The book knows the positions of a player who was perfect from the first move on. What it does not hold is searched, the
empty board as well: that takes minutes there, some seconds after four to six moves, and less than one from the ninth on
as a rule. What was found out serves for the moves that follow.
"""

import numpy as np
from numpy.typing import NDArray

from agents.perfect.connect_four_board import from_state, measures
from agents.perfect.connect_four_book import Answer, Book, shipped_book
from agents.perfect.connect_four_search import NODE, open_cells, search, solve, winning_cells
from arena.errors import UsageError
from games.engine.game import Game, State

TABLE_SIZE = 1 << 23
"""Positions that are remembered, at 8 bytes each; a power of two."""

QUICK_CELLS = 33
"""Empty cells up to which it is quickly found out who wins: after nine moves, on 7 x 6."""


class ConnectFourSolver:
    """Scores of positions; boards are no larger than 7 x 6, with four in a line.

    A score counts how many discs before the end of the board the winner wins, as `connect_four_search` says. Solvers in
    threads may share a `table` [a power of two] of what they find out: each word of it is written at once.
    """

    def __init__(self, game: Game, table: NDArray[np.uint64] | None = None, book: Book | None = None):
        rows, columns, k = (int(game.options[name]) for name in ("rows", "columns", "k"))
        if k != 4 or columns > 7 or rows > 6:
            raise UsageError(
                f"perfect: Connect Four is solved with k=4 on boards up to 6 rows and 7 columns, not {game.label}"
            )
        self._board = measures(rows, columns)
        self._height, self._columns = rows + 1, columns
        self._book = shipped_book() if book is None and (rows, columns) == (6, 7) else book
        self._table = np.zeros(TABLE_SIZE, np.uint64) if table is None else table
        self._nodes = np.zeros(rows * columns + 1, NODE)
        self.looked = 0
        """Positions that searches have looked at so far."""

    def score(self, own: np.uint64, mask: np.uint64) -> int:
        """The score of an unfinished position, for the player to move, by search alone."""
        count = int(self._board["count"])
        worth, looked = solve(own, mask, -count, count, self._board, self._table, self._nodes)
        self.looked += looked
        return worth

    def solve(self, own: np.uint64, mask: np.uint64) -> Answer:
        """The score of an unfinished position and the columns that keep it, by search alone."""
        score = self.score(own, mask)
        return Answer(np.array([self._reaches(own, mask, column, score) for column in range(self._columns)]), score)

    def value(self, state: State) -> float | None:
        """The return of an unfinished position for the player to move; None where finding it out takes long."""
        own, mask = from_state(state)
        if winning_cells(own, mask, self._board) & open_cells(mask, self._board):
            return 1.0
        if (known := self._known(own, mask)) is not None:
            return float(np.sign(known.score))
        if int(self._board["count"]) - int(mask).bit_count() > QUICK_CELLS:
            return None
        worth, looked = search(own, mask, -1, 1, self._board, self._table, self._nodes)
        self.looked += looked
        return float(np.sign(worth))

    def _known(self, own: np.uint64, mask: np.uint64) -> Answer | None:
        return None if self._book is None else self._book.look_up(own, mask)

    def forget(self) -> None:
        """Forget what searches have found out."""
        self._table[:] = 0

    def best(self, state: State) -> tuple[NDArray[np.bool_], float]:
        """The best actions [A] of an unfinished position, and the return that they lead to."""
        own, mask = from_state(state)
        best, score = self._known(own, mask) or self.solve(own, mask)
        return best, float(np.sign(score))

    def _reaches(self, own: np.uint64, mask: np.uint64, column: int, score: int) -> bool:
        """Whether a move keeps the score."""
        shift = np.uint64(column * self._height)
        move = (mask + (np.uint64(1) << shift)) & (np.uint64((1 << (self._height - 1)) - 1) << shift)
        if not move & ~mask:
            return False
        if winning_cells(own, mask, self._board) & move:
            return True  # the score is that of a win at once
        after = own ^ mask, mask | move
        discs = int(mask).bit_count() + 1
        if discs == self._board["count"]:
            return True
        if winning_cells(*after, self._board) & open_cells(after[1], self._board):
            return -((int(self._board["count"]) + 1 - discs) // 2) == score
        worth, looked = search(*after, -score, 1 - score, self._board, self._table, self._nodes)
        self.looked += looked
        return bool(worth <= -score)
