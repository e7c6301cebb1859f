"""Tables of the rules of go: which points lie beside each other, and what each stone adds to a hash."""

import numpy as np
from numpy.typing import NDArray

LONGEST_SIDE = 19
MOST_POINTS = LONGEST_SIDE**2


def neighbours(size: int) -> NDArray[np.uint16]:
    """Return the four points beside each point of a board, [MOST_POINTS, 4]; `size * size` for each beyond the edge."""
    board = np.full((size + 2, size + 2), size * size, np.uint16)
    board[1:-1, 1:-1] = np.arange(size * size).reshape(size, size)
    sides = (board[:-2, 1:-1], board[1:-1, :-2], board[1:-1, 2:], board[2:, 1:-1])
    table = np.zeros((MOST_POINTS, 4), np.uint16)
    table[: size * size] = np.stack(sides, axis=-1).reshape(-1, 4)
    return table


NEIGHBOURS = np.stack([neighbours(size) for size in range(LONGEST_SIDE + 1)])
"""[size, point, side]."""
KEYS = np.random.PCG64(1984).random_raw((2, MOST_POINTS)) & ~np.uint64(511) | np.arange(MOST_POINTS, dtype=np.uint64)
"""[seat, point]: 55 random bits, and the point in the last nine (Zobrist, "A new hashing method", 1970)."""
