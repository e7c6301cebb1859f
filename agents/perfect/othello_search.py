"""Compiled search of othello endgames to the last disc, for a win, a draw or a loss.

A board is two 64-bit words of 8 x 8 cells, with cell (row, column) at bit 8 * row + column; on smaller boards the other
bits stay 0. Negamax with alpha-beta, a transposition table, and moves ordered by the number of replies.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.bits import ZERO, bit, lowest_index, popcount
from games.engine.jit import njit

MOST_MOVES = 32
TABLE_FROM = 5
"""Empty cells from which the table is used; below, searching is faster than a lookup."""

NODE = np.dtype(
    [
        ("own", np.uint64),
        ("other", np.uint64),
        ("moves", np.uint64, (MOST_MOVES,)),  # the most promising last
        ("left", np.int64),  # moves not searched yet
        ("alpha", np.int64),
        ("beta", np.int64),
    ]
)
"""A position on the current line of the search."""
ENTRY = np.dtype([("own", np.uint64), ("other", np.uint64), ("low", np.int8), ("high", np.int8)], align=True)
"""Bounds of the score of a position: `low` to `high`."""


@njit(inline="always")
def shifted(word: Any, direction: int) -> Any:
    """Return the discs moved one step in one of eight directions."""
    step = np.uint64(1 if direction % 4 == 0 else direction % 4 + 6)
    return word << step if direction < 4 else word >> step


@njit(inline="always")
def moves_of(own: Any, other: Any, cells: Any, inner: Any) -> Any:
    """Return the legal cells; `inner` masks the columns that are not at the edge."""
    result = ZERO
    for direction in range(8):
        runs = other if direction % 4 == 2 else other & inner
        reach = runs & shifted(own, direction)
        for _ in range(5):
            reach |= runs & shifted(reach, direction)
        result |= shifted(reach, direction)
    return result & cells & ~(own | other)


@njit(inline="always")
def turned_by(move: Any, own: Any, other: Any, inner: Any) -> Any:
    """Return the discs flipped by a move."""
    turned = ZERO
    for direction in range(8):
        runs = other if direction % 4 == 2 else other & inner
        reach = runs & shifted(move, direction)
        for _ in range(5):
            reach |= runs & shifted(reach, direction)
        if shifted(reach, direction) & own:
            turned |= reach
    return turned


@njit(cache=True)
def moves_on(own: Any, other: Any, cells: Any, inner: Any) -> Any:
    """Return the legal cells, as `moves_of`; callable from Python."""
    return moves_of(own, other, cells, inner)


@njit(cache=True)
def after_move(move: Any, own: Any, other: Any, inner: Any) -> tuple[Any, Any]:
    """Return the position after a move, for the next player."""
    turned = turned_by(move, own, other, inner)
    return other ^ turned, own | move | turned


@njit(inline="always")
def place_of(own: Any, other: Any, table: NDArray[Any]) -> Any:
    """Return the table index of a position; the table's length is a power of two."""
    mixed = (own ^ other * np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xD6E8FEB86659FD93)
    return mixed >> np.uint64(32) & np.uint64(table.shape[0] - 1)


@njit(inline="always")
def result(own: Any, other: Any) -> int:
    """Return 1, 0 or -1 by who has more discs."""
    lead = popcount(own) - popcount(other)
    return 1 if lead > 0 else (-1 if lead < 0 else 0)


@njit(inline="always")
def open_node(node: Any, cells: Any, inner: Any, table: NDArray[Any]) -> bool:
    """List a position's moves; return whether it is settled without search, with score `alpha`. ZERO is the pass."""
    own, other = node.own, node.other
    legal = moves_of(own, other, cells, inner)
    node.left = 0
    if legal == ZERO:
        if moves_of(other, own, cells, inner) == ZERO:
            node.alpha = result(own, other)
            return True
        node.moves[0] = ZERO
        node.left = 1
        return False
    empty = popcount(cells & ~(own | other))
    if empty >= TABLE_FROM:
        entry = table[place_of(own, other, table)]
        if entry.own == own and entry.other == other:
            node.alpha, node.beta = max(node.alpha, entry.low), min(node.beta, entry.high)
            if node.alpha >= node.beta:
                if entry.low != node.alpha:
                    node.alpha = node.beta
                return True
    answers = np.empty(MOST_MOVES, np.int64)
    while legal:
        move = bit(lowest_index(legal))
        legal ^= move
        count = np.int64(0)
        if empty >= TABLE_FROM:
            theirs, mine = after_move(move, own, other, inner)
            count = popcount(moves_of(theirs, mine, cells, inner))
        place = node.left
        while place > 0 and answers[place - 1] < count:
            answers[place] = answers[place - 1]
            node.moves[place] = node.moves[place - 1]
            place -= 1
        answers[place] = count
        node.moves[place] = move
        node.left += 1
    return False


@njit(inline="always")
def remember(node: Any, is_low: bool, cells: Any, table: NDArray[Any]) -> None:
    """Store a bound of a position in the table."""
    if popcount(cells & ~(node.own | node.other)) < TABLE_FROM:
        return
    entry = table[place_of(node.own, node.other, table)]
    if entry.own != node.own or entry.other != node.other:
        entry.own, entry.other, entry.low, entry.high = node.own, node.other, -1, 1
    if is_low:
        entry.low = max(entry.low, node.alpha)
    else:
        entry.high = min(entry.high, node.alpha)


@njit(cache=True, nogil=True)
def search(
    own: Any, other: Any, alpha: int, beta: int, cells: Any, inner: Any, table: NDArray[Any], nodes: NDArray[Any]
) -> tuple[int, int]:
    """Return the score (1, 0 or -1) of a position within a window, and the number of positions searched."""
    ply, num_searched = 0, 1
    node = nodes[0]
    node.own, node.other, node.alpha, node.beta = own, other, alpha, beta
    settled = open_node(node, cells, inner, table)
    while True:
        if settled:
            score = nodes[ply].alpha
            if ply == 0:
                return score, num_searched
            ply -= 1
            node = nodes[ply]
            node.alpha = max(node.alpha, -score)
            if node.alpha >= node.beta:
                remember(node, True, cells, table)
                continue
        node = nodes[ply]
        if node.left == 0:
            remember(node, False, cells, table)
            settled = True
            continue
        node.left -= 1
        move = node.moves[node.left]
        after = nodes[ply + 1]
        after.own, after.other = after_move(move, node.own, node.other, inner)
        after.alpha, after.beta = -node.beta, -node.alpha
        ply += 1
        num_searched += 1
        settled = open_node(after, cells, inner, table)
