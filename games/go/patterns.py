"""What the eight points around an empty one say of playing there: shapes worth a look, and eyes.

Shapes are those of MoGo's playouts (Gelly, Wang, Munos, Teytaud, "Modification of UCT with patterns in Monte-Carlo Go",
INRIA RR-6062, 2006, section 3.2): hane, cut, and three of them at the edge.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from games.go.tables import LONGEST_SIDE, MOST_POINTS

AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
"""Rows and columns from a point to the eight around it; what stands on the k-th gives bits 2k and 2k + 1 of a code."""
SIDES, CORNERS = (1, 3, 4, 6), (0, 2, 5, 7)
SHAPE = 1
"""Flag of surroundings in which either player's move makes a shape."""
EYE = 2
"""Bit of the flag of an eye of seat 0; the next one is seat 1's."""
MEANINGS = {
    "X": (1,),
    "O": (2,),
    ".": (0,),
    "x": (0, 2),
    "o": (0, 1),
    "?": (0, 1, 2),
    "#": (3,),
}
"""What may stand where: X and O are the two colours, x and o are not X and not O, # is beyond the edge."""
SHAPES = (
    "XOX/. ./???",  # hane
    "XO./. ./?.?",
    "XO?/X ./x.?",
    ".O./X ./...",  # diagonal attachment
    "XO?/O o/?o?",  # cut
    "XO?/O X/???",
    "?X?/O O/ooo",
    "OX?/o O/???",
    "X.?/O ?/###",  # at the edge
    "OX?/X O/###",
    "?X?/x O/###",
    "?XO/x x/###",
    "?OX/X O/###",
)
"""The points around the move, row by row."""


def surroundings(size: int) -> NDArray[np.uint16]:
    """Return the eight points around each point, [MOST_POINTS, 8]; `size * size` for each beyond the edge."""
    board = np.full((size + 2, size + 2), size * size, np.uint16)
    board[1:-1, 1:-1] = np.arange(size * size).reshape(size, size)
    shifted = [board[1 + row : size + 1 + row, 1 + column : size + 1 + column] for row, column in AROUND]
    table = np.zeros((MOST_POINTS, 8), np.uint16)
    table[: size * size] = np.stack(shifted, axis=-1).reshape(-1, 8)
    return table


def orientations(shape: str) -> Iterator[str]:
    """Yield a shape in its eight orientations and with colours exchanged, each as the text of its eight points."""
    grid = np.array([list(row) for row in shape.split("/")])
    for mirrored in (grid, grid.T):
        for turns in range(4):
            text = "".join(np.rot90(mirrored, turns).flat)
            points = text[:4] + text[5:]
            yield points
            yield points.translate(str.maketrans("XOxo", "OXox"))


def codes(points: str) -> NDArray[np.int64]:
    """Return the codes of all surroundings that eight points in text allow."""
    allowed = np.zeros(1, np.int64)
    for place, symbol in enumerate(points):
        allowed = (allowed[:, None] | np.array(MEANINGS[symbol]) << 2 * place).reshape(-1)
    return allowed


def meanings() -> NDArray[np.uint8]:
    """Return the flags of all surroundings, [65536].

    An eye has stones of one colour, or the edge, on its four sides, and of the other colour on at most one of its
    corners, at the edge on none.
    """
    table = np.zeros(1 << 16, np.uint8)
    for shape in SHAPES:
        for points in orientations(shape):
            table[codes(points)] |= SHAPE
    stands = np.arange(1 << 16) >> 2 * np.arange(8)[:, None] & 3
    at_edge = (stands == 3).any(axis=0)
    for seat in range(2):
        own = ((stands == 1 + seat) | (stands == 3))[list(SIDES)].all(axis=0)
        others = (stands == 2 - seat)[list(CORNERS)].sum(axis=0)
        table[own & (others + at_edge < 2)] |= EYE << seat
    return table


SURROUNDINGS = np.stack([surroundings(size) for size in range(LONGEST_SIDE + 1)])
"""[size, point, which of the eight]."""
FLAGS = meanings()
"""[surroundings]."""
