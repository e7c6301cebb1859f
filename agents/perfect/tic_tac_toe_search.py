"""Compiled search of tic-tac-toe on small boards: negamax with alpha-beta and a transposition table.

A board is two words: bit c of `own` is a mark of the player to move in the cell of action c, bit c of `mask` any mark.
Scores are as in Connect Four: a win by mark number d on a board of n cells scores (n + 2 - d) // 2, a draw 0.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from games.engine.bits import ONE, ZERO, popcount
from games.engine.jit import njit

MOST_CELLS = 20
VALUE_BITS = np.uint64(8)
MASK_BITS = np.uint64(MOST_CELLS)
OFFSET = 32
"""Added to a stored score; an upper bound is stored as that, a lower bound with 64 more."""

NODE = np.dtype(
    [
        ("own", np.uint64),
        ("mask", np.uint64),
        ("moves", np.uint64),  # not searched yet
        ("alpha", np.int64),
        ("beta", np.int64),
    ]
)
"""A position on the current line of the search."""


@njit(inline="always")
def slot(own: Any, mask: Any, table: NDArray[np.uint64]) -> Any:
    """Return the table index of a key; the table's length is a power of two."""
    key = own | mask << MASK_BITS
    return (key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(24) & np.uint64(table.shape[0] - 1)


@njit(inline="always")
def remember(node: Any, bound: int, table: NDArray[np.uint64]) -> None:
    """Store a position in the table, always replacing."""
    key = node.own | node.mask << MASK_BITS
    table[slot(node.own, node.mask, table)] = key << VALUE_BITS | np.uint64(bound)


@njit(inline="always")
def last_cells(own: Any, other: Any, lines: NDArray[np.uint64], k: int) -> tuple[Any, bool]:
    """Return the cells that complete a line of the marks `own`, and whether any line can still be completed."""
    completing, any_left = ZERO, False
    for i in range(lines.shape[0]):
        if lines[i] & other == ZERO:
            any_left = True
            mine = lines[i] & own
            if popcount(mine) == k - 1:
                completing |= lines[i] ^ mine
    return completing, any_left


@njit(inline="always")
def open_node(node: Any, cells: int, lines: NDArray[np.uint64], k: int, table: NDArray[np.uint64]) -> bool:
    """Bound a position and list its moves; return whether it is settled, with score `alpha`."""
    own, other = node.own, node.own ^ node.mask
    marks = popcount(node.mask)
    wins, can_win = last_cells(own, other, lines, k)
    threats, can_lose = last_cells(other, own, lines, k)
    if wins:
        node.alpha = (cells + 1 - marks) // 2
        return True
    if threats & (threats - ONE):  # two cannot both be met
        node.alpha = -((cells - marks) // 2)
        return True
    node.alpha = max(node.alpha, -((cells - marks) // 2) if can_lose else 0)
    node.beta = min(node.beta, (cells - 1 - marks) // 2 if can_win else 0)
    entry = table[slot(own, node.mask, table)]
    if entry >> VALUE_BITS == own | node.mask << MASK_BITS:
        stored = np.int64(entry & np.uint64(255))
        if stored >= 64:
            node.alpha = max(node.alpha, stored - 64 - OFFSET)
        elif stored > 0:
            node.beta = min(node.beta, stored - OFFSET)
    if node.alpha >= node.beta:
        return True
    empty = (ONE << np.uint64(cells)) - ONE ^ node.mask
    node.moves = threats if threats else empty
    return False


class BoardGeometry(NamedTuple):
    """Constants of a board size."""

    cells: int
    """Number of cells."""
    k: int
    """Marks in a line that win."""
    lines: NDArray[np.uint64]
    """The winning sets of `k` cells, [L]."""
    order: NDArray[np.uint64]
    """The cells in the order in which they are tried, [cells]."""


@njit(cache=True, nogil=True)
def search(
    own: Any, mask: Any, alpha: int, beta: int, board: BoardGeometry, table: NDArray[np.uint64], nodes: NDArray[Any]
) -> int:
    """Return the score of an unfinished position within a window: exact inside, a bound outside.

    `nodes` [cells + 1] is scratch.
    """
    cells, k, lines, order = board
    ply = 0
    node = nodes[0]
    node.own, node.mask, node.alpha, node.beta = own, mask, alpha, beta
    settled = open_node(node, cells, lines, k, table)
    while True:
        if settled:
            score = nodes[ply].alpha
            if ply == 0:
                return score
            ply -= 1
            node = nodes[ply]
            node.alpha = max(node.alpha, -score)
            if node.alpha >= node.beta:
                remember(node, OFFSET + 64 + node.alpha, table)
                continue
        node = nodes[ply]
        if node.moves == ZERO:
            remember(node, OFFSET + node.alpha, table)
            settled = True
            continue
        for i in range(order.shape[0]):
            if node.moves & order[i]:
                break
        move = order[i]
        node.moves ^= move
        after = nodes[ply + 1]
        after.own, after.mask = node.own ^ node.mask, node.mask | move
        after.alpha, after.beta = -node.beta, -node.alpha
        ply += 1
        settled = open_node(after, cells, lines, k, table)
