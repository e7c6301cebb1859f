"""Squares that pieces of chess attack, on a board of 8 x 8 squares, and the castling rights that they leave.

A square is a number, 0 = a1, 1 = b1, ... 63 = h8; a set of squares is a word of 64 bits.

Pieces that slide are followed along one of the four lines through a square at a time, by subtraction: with the nearest
piece below the square (or the line's end) as one bit and the nearest above as another, their difference is what lies
between. (Gerd Isenberg's obstruction difference, https://www.chessprogramming.org/Obstruction_Difference.)
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.bits import ONE, ZERO, leading_zeros, lowest_index
from games.engine.jit import njit

KNIGHT_STEPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
KING_STEPS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
RANK, FILE, RISING, FALLING = np.arange(4)
LINES = ((1, 0), (0, 1), (1, 1), (-1, 1))
"""Upward direction of the lines through a square, (files, ranks): two straight, two slanting."""
NOT_A, NOT_H = np.uint64(0xFEFEFEFEFEFEFEFE), np.uint64(0x7F7F7F7F7F7F7F7F)
TOP = np.uint64(1 << 63)
CASTLING_KEPT = np.full(64, 15, np.int8)
"""Castling rights that remain when a piece leaves a square or comes to it: 1 and 2 white's, 4 and 8 black's."""
CASTLING_KEPT[[0, 4, 7, 56, 60, 63]] = [13, 12, 14, 7, 3, 11]


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
