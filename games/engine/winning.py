"""The cells that decided a game: lines and chains of stones, in plain Python, for pictures of its end."""

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Cell = tuple[int, int]
"""Row and column."""
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def winning_line(pieces: NDArray[np.int8], last: Cell | None, k: int, exact: bool = False) -> tuple[Cell, ...]:
    """Return the cells of all lines of at least `k` stones of one seat through the last, of exactly `k` if `exact`.

    `pieces` [R, C] has the seat of each stone, -1 for none. Empty if there is no such line.

    >>> winning_line(np.array([[0, 0, 0, -1], [1, 1, -1, -1]]), (0, 2), k=3)
    ((0, 0), (0, 1), (0, 2))
    """
    if last is None:
        return ()
    cells: set[Cell] = set()
    for down, right in DIRECTIONS:
        line = {last, *_run(pieces, last, down, right), *_run(pieces, last, -down, -right)}
        if len(line) == k or (len(line) > k and not exact):
            cells |= line
    return tuple(sorted(cells))


def _run(pieces: NDArray[np.int8], start: Cell, down: int, right: int) -> Iterator[Cell]:
    """Yield the cells after `start` in one direction as long as they hold the same seat's stones."""
    rows, columns = pieces.shape
    row, column = start[0] + down, start[1] + right
    while 0 <= row < rows and 0 <= column < columns and pieces[row, column] == pieces[start]:
        yield row, column
        row, column = row + down, column + right


def winning_chain(
    stones: Collection[Cell], starts: Collection[Cell], ends: Collection[Cell], steps: Sequence[Sequence[int]]
) -> tuple[Cell, ...]:
    """Return a shortest chain of `stones` from one of `starts` to one of `ends`; empty if they are not connected.

    `steps` are the (row, column) offsets of neighbours.

    >>> winning_chain({(0, 0), (1, 0), (1, 1), (2, 0)}, {(0, 0)}, {(2, 0), (2, 1)}, [(1, 0), (0, 1)])
    ((0, 0), (1, 0), (2, 0))
    """
    came_from: dict[Cell, Cell | None] = {cell: None for cell in starts if cell in stones}
    waiting = list(came_from)
    for cell in waiting:  # grows while it is walked: breadth first
        if cell in ends:
            chain: list[Cell] = []
            step: Cell | None = cell
            while step is not None:
                chain.append(step)
                step = came_from[step]
            return tuple(reversed(chain))
        for down, right in steps:
            neighbour = cell[0] + down, cell[1] + right
            if neighbour in stones and neighbour not in came_from:
                came_from[neighbour] = cell
                waiting.append(neighbour)
    return ()
