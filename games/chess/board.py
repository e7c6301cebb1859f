"""The board as sets of squares: where pieces stand, and which squares they attack.

A square is a number, 0 = a1, 1 = b1, ... 63 = h8; a set of squares is a word of 64 bits. A board is four words: bits 0,
1 and 2 of the kind of piece on each square, and where the white pieces are.

Pieces that slide are followed along one of the four lines through a square at a time, by subtraction: with the nearest
piece below the square (or the line's end) as one bit and the nearest above as another, their difference is what lies
between. (Gerd Isenberg's obstruction difference, https://www.chessprogramming.org/Obstruction_Difference.)
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.bits import ONE, ZERO, bit, leading_zeros, lowest_index, swap_bytes
from games.engine.jit import njit

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = np.arange(1, 7)
"""Kinds of pieces; 0 is an empty square. Bit 0 and another one: slides slantwise; bit 2, not 1: slides straight.

They are NumPy integers, since numba compiles a function once more for each literal it is called with.
"""
BOARDS = 9
"""Boards in a record: the eight that an observation shows, and room for a move to be tried."""
KNIGHT_STEPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
KING_STEPS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
RANK, FILE, RISING, FALLING = np.arange(4)
LINES = ((1, 0), (0, 1), (1, 1), (-1, 1))
"""Upward direction of the lines through a square, (files, ranks): two straight, two slanting."""
NOT_A, NOT_H = np.uint64(0xFEFEFEFEFEFEFEFE), np.uint64(0x7F7F7F7F7F7F7F7F)
TOP = np.uint64(1 << 63)
THIRD_RANK = np.uint64(0xFF << 16)


def ray(square: int, files: int, ranks: int, length: int = 7) -> np.uint64:
    """Return the squares that lie in one direction, up to `length` steps away."""
    word = 0
    for step in range(1, length + 1):
        file, rank = square % 8 + step * files, square // 8 + step * ranks
        if 0 <= file < 8 and 0 <= rank < 8:
            word |= 1 << (rank * 8 + file)
    return np.uint64(word)


def leaps(steps: tuple[tuple[int, int], ...]) -> NDArray[np.uint64]:
    """Return the squares that a leaping piece attacks from each square, [64]."""
    return np.array([sum(int(ray(square, *step, length=1)) for step in steps) for square in range(64)], np.uint64)


KNIGHT_REACH = leaps(KNIGHT_STEPS)
KING_REACH = leaps(KING_STEPS)
RAYS = np.array(
    [[[ray(s, -files, -ranks), ray(s, files, ranks)] for s in range(64)] for files, ranks in LINES], np.uint64
)
"""[line, square, half]: the squares below and above a square on each line through it."""


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
    where = np.uint64(square)
    low, middle, high = board[0] >> where & ONE, board[1] >> where & ONE, board[2] >> where & ONE
    return np.int64(low | middle << ONE | high << np.uint64(2))


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


@njit
def along(line: int, square: int, occupied: Any) -> Any:
    """Return the squares that a slider attacks on one line, up to and including the nearest pieces."""
    lower, upper = RAYS[line, square, 0], RAYS[line, square, 1]
    below, above = lower & occupied, upper & occupied
    nearest_above = above & (ZERO - above)
    return (lower | upper) & ((nearest_above << ONE) - (TOP >> np.uint64(leading_zeros(below | ONE))))


@njit
def straight_reach(square: int, occupied: Any) -> Any:
    """Return the squares that a rook attacks."""
    return along(RANK, square, occupied) | along(FILE, square, occupied)


@njit
def slanting_reach(square: int, occupied: Any) -> Any:
    """Return the squares that a bishop attacks."""
    return along(RISING, square, occupied) | along(FALLING, square, occupied)


@njit
def pawns_reach_up(pawns: Any) -> Any:
    """Return the squares that pawns moving up the board attack."""
    return (pawns & NOT_A) << np.uint64(7) | (pawns & NOT_H) << np.uint64(9)


@njit
def pawns_reach_down(pawns: Any) -> Any:
    """Return the squares that pawns moving down the board attack."""
    return (pawns & NOT_A) >> np.uint64(9) | (pawns & NOT_H) >> np.uint64(7)


@njit
def sliders_reach(slanting: Any, straight: Any, occupied: Any) -> Any:
    """Return the squares that several sliders attack."""
    reach = ZERO
    while slanting:
        reach |= slanting_reach(lowest_index(slanting), occupied)
        slanting &= slanting - ONE
    while straight:
        reach |= straight_reach(lowest_index(straight), occupied)
        straight &= straight - ONE
    return reach


@njit
def knights_reach(knights: Any) -> Any:
    """Return the squares that several knights attack."""
    reach = ZERO
    while knights:
        reach |= KNIGHT_REACH[lowest_index(knights)]
        knights &= knights - ONE
    return reach
