"""What games of stones on a rectangular board share: lines, observations, returns, and the sizes a board can have.

A board is int8 [rows, columns] (or columns first), the seat of the stone in each cell, -1 where there is none. What is
called once a move is inlined: inside the caller the size of its board is a constant, which makes a move twice as fast.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from games.engine.errors import UsageError

LONGEST_SIDE = 20


@njit(inline="always")
def in_line(board: NDArray[Any], row: int, column: int, k: int) -> bool:
    """Whether the stone at this cell is part of `k` or more of its colour in a line; each half counts the cell."""
    return (
        run(board, row, column, 1, 0) + run(board, row, column, -1, 0) > k
        or run(board, row, column, 0, 1) + run(board, row, column, 0, -1) > k
        or run(board, row, column, 1, 1) + run(board, row, column, -1, -1) > k
        or run(board, row, column, 1, -1) + run(board, row, column, -1, 1) > k
    )


@njit
def run(board: NDArray[Any], row: int, column: int, down: int, right: int) -> int:
    """How many stones of one colour follow each other from this cell in one direction, itself included."""
    seat = board[row, column]
    length = 0
    while 0 <= row < board.shape[0] and 0 <= column < board.shape[1] and board[row, column] == seat:
        length += 1
        row += down
        column += right
    return length


@njit(inline="always")
def two_planes(board: NDArray[Any], seat: int, out: NDArray[Any]) -> None:
    """Write into `out` [rows, columns, 2] where the stones of `seat` are, and those of the other."""
    own, other = np.int8(seat), np.int8(1 - seat)  # compared in the board's own type: half the time
    for row in range(board.shape[0]):
        for column in range(board.shape[1]):
            stone = board[row, column]
            out[row, column, 0] = stone == own
            out[row, column, 1] = stone == other


@njit(inline="always")
def duel(winner: int, out: NDArray[Any]) -> None:
    """Write +1 for the winner and -1 for the loser; nothing where nobody has won (-1)."""
    if winner >= 0:
        out[winner] = 1
        out[1 - winner] = -1


def require_board(game: str, k: int, **sides: int) -> None:
    """Raise `UsageError` unless both sides are from 1 to 20, and `k` stones in a line fit on the longer one."""
    for name, value in sides.items():
        if not 1 <= value <= LONGEST_SIDE:
            raise UsageError(f"{game}: {name}={value} is not between 1 and {LONGEST_SIDE}")
    longest = max(sides.values())
    if not 1 <= k <= longest:
        raise UsageError(f"{game}: k={k} is not between 1 and the longer side, {longest}")
