"""Shapes of boards that are drawn, whatever they are drawn with: corners of cells, and edges that seats own."""

from collections.abc import Iterator

import numpy as np

SLANT = 3**0.5 / 2
"""Distance between the rows of a hexagonal board, in cells."""


def corner_steps(half: float, slanted: bool) -> list[tuple[float, float]]:
    """Return the way from the middle of a cell to each corner, clockwise from the top or the upper left.

    `half` is the distance from the middle to an edge, in any unit; a cell of a slanted board is a hexagon.
    """
    if not slanted:
        return [(-half, -half), (half, -half), (half, half), (-half, half)]
    far = half / SLANT
    return [(0, -far), (half, -far / 2), (half, far / 2), (0, far), (-half, far / 2), (-half, -far / 2)]


def owned_edges(
    rows: int, columns: int, across: int, down: int
) -> Iterator[tuple[int, tuple[int, int], tuple[int, ...]]]:
    """Yield the pieces of the four edges of a board of hexagons: seat, cell, and numbers of the cell's corners.

    The seat `across` owns the edges above and below, `down` those at the left and the right.
    """
    for row, column in np.ndindex(rows, columns):
        sides = [
            (across, row == 0, (5, 0, 1)),
            (across, row == rows - 1, (2, 3, 4)),
            (down, column == 0, (3, 4, 5) if row < rows - 1 else (4, 5)),
            (down, column == columns - 1, (0, 1, 2) if row > 0 else (1, 2)),
        ]
        for seat, is_edge, places in sides:
            if is_edge:
                yield seat, (row, column), places
