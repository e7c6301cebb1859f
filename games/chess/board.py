"""The board as sets of squares: where pieces stand.

A square is a number, 0 = a1, 1 = b1, ... 63 = h8; a set of squares is a word of 64 bits. A board is four words: bits 0,
1 and 2 of the kind of piece on each square, and where the white pieces are.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.bits import bit, number_at, swap_bytes
from games.engine.jit import njit

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = np.arange(1, 7)
"""Kinds of pieces; 0 is an empty square. Bit 0 and another one: slides slantwise; bit 2, not 1: slides straight.

They are NumPy integers, since numba compiles a function once more for each literal it is called with.
"""
BOARDS = 9
"""Boards in a record: the eight that an observation shows, and room for a move to be tried."""
THIRD_RANK = np.uint64(0xFF << 16)


@njit
def planes(board: NDArray[Any], seat: int) -> tuple[Any, Any, Any, Any, Any, Any, Any]:
    """Return pawns, knights, slanting and straight sliders, kings, own pieces and all pieces, as `seat` sees them.

    It moves up the board: black sees it upside down.
    """
    low, middle, high, own = board[0], board[1], board[2], board[3]
    occupied = low | middle | high
    if seat == 1:
        low, middle, high, own = swap_bytes(low), swap_bytes(middle), swap_bytes(high), swap_bytes(occupied ^ own)
        occupied = swap_bytes(occupied)
    slanting, straight = low & (middle | high), high & ~middle
    return low & ~(middle | high), middle & ~(low | high), slanting, straight, middle & high, own, occupied


@njit
def kind_at(board: NDArray[Any], square: int) -> Any:
    """Return the kind of piece on a square, 0 for none."""
    return number_at(board, square)


@njit
def copy_board(state: Any) -> None:
    """Set the board of this move to a copy of the one before."""
    before, board = state.boards[(state.length - 1) % BOARDS], state.boards[state.length % BOARDS]
    for i in range(4):
        board[i] = before[i]


@njit
def clear(board: NDArray[Any], square: int) -> None:
    """Take away what stands on a square."""
    others = ~bit(square)
    for i in range(4):
        board[i] &= others


@njit
def put(board: NDArray[Any], square: int, kind: int, seat: int) -> None:
    """Put a piece on a square, whatever stood there."""
    clear(board, square)
    for i in range(3):
        board[i] |= np.uint64(kind >> i & 1) << np.uint64(square)
    board[3] |= np.uint64(1 - seat) << np.uint64(square)


@njit
def relocate(board: NDArray[Any], seat: int, kind: int, origin: int, target: int) -> None:
    """Move a piece, which may become another kind; with a king that castles, its rook."""
    clear(board, origin)
    put(board, target, kind, seat)
    if kind == KING and abs(target - origin) == 2:
        clear(board, target + 1 if target > origin else target - 2)
        put(board, (origin + target) // 2, ROOK, seat)
