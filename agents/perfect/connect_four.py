"""Exact play of Connect Four: the opening from a book, everything else by search to the end.

The book covers the positions that a perfect player can meet. Other positions are searched, which takes minutes for the
empty board, some seconds after four to six moves, and usually less than one from the ninth move on. The table of
searched positions is kept for later moves.
"""

import numpy as np
from numpy.typing import NDArray

from agents.perfect.connect_four_board import from_state, measures
from agents.perfect.connect_four_book import BookEntry, SolutionBook, shipped_book
from agents.perfect.connect_four_search import NODE, open_cells, search, solve, winning_cells
from arena.base.errors import UsageError
from games.engine.game import Game, State

TABLE_SIZE = 1 << 23
"""Number of positions in the table, of 8 bytes each; a power of two."""

QUICK_CELLS = 33
"""Empty cells up to which the winner is found quickly: after nine moves, on 7 x 6."""
QUICK_S = 0.5
"""Seconds that it then takes at most, about; half as many with two cells less."""


class ConnectFourSolver:
    """Scores of positions on boards up to 7 x 6 with k = 4.

    A score counts how many discs before a full board the winner wins; see `connect_four_search`. Threads may share a
    `table` [a power of two], since each of its words is written at once.
    """

    def __init__(self, game: Game, table: NDArray[np.uint64] | None = None, book: SolutionBook | None = None):
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
        self.num_searched = 0
        """Number of positions searched so far."""

    def score(self, own: np.uint64, mask: np.uint64) -> int:
        """Return the score of an unfinished position for the player to move, by search alone."""
        count = int(self._board["count"])
        score, num_searched = solve(own, mask, -count, count, self._board, self._table, self._nodes)
        self.num_searched += num_searched
        return score

    def solve(self, own: np.uint64, mask: np.uint64) -> BookEntry:
        """Return the score of an unfinished position and its best columns, by search alone."""
        score = self.score(own, mask)
        return BookEntry(np.array([self._reaches(own, mask, column, score) for column in range(self._columns)]), score)

    def value(self, state: State) -> float | None:
        """Return the return of an unfinished position for the player to move; None if computing it takes long."""
        own, mask = from_state(state)
        if winning_cells(own, mask, self._board) & open_cells(mask, self._board):
            return 1.0
        if (known := self._known(own, mask)) is not None:
            return float(np.sign(known.score))
        if int(self._board["count"]) - int(mask).bit_count() > QUICK_CELLS:
            return None
        score, num_searched = search(own, mask, -1, 1, self._board, self._table, self._nodes)
        self.num_searched += num_searched
        return float(np.sign(score))

    def _known(self, own: np.uint64, mask: np.uint64) -> BookEntry | None:
        return None if self._book is None else self._book.look_up(own, mask)

    def forget(self) -> None:
        """Clear the table."""
        self._table[:] = 0

    def seconds(self, state: State) -> float:
        """Return about how many seconds `best` takes for an unfinished position, at most; 0 where it is known."""
        own, mask = from_state(state)
        empty = int(self._board["count"]) - int(mask).bit_count()
        return 0.0 if self._known(own, mask) is not None else QUICK_S * 2.0 ** ((empty - QUICK_CELLS) / 2)

    def best(self, state: State) -> tuple[NDArray[np.bool_], float]:
        """Return the best actions [A] of an unfinished position, and the return they lead to."""
        own, mask = from_state(state)
        best, score = self._known(own, mask) or self.solve(own, mask)
        return best, float(np.sign(score))

    def _reaches(self, own: np.uint64, mask: np.uint64, column: int, score: int) -> bool:
        """Return whether a move keeps the score."""
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
        reply_score, num_searched = search(*after, -score, 1 - score, self._board, self._table, self._nodes)
        self.num_searched += num_searched
        return bool(reply_score <= -score)
