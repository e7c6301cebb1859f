"""Compiled search of Connect Four to the end, on 64-bit boards.

After Pascal Pons, "Solving Connect 4: how to build a perfect AI" (blog.gamesolver.org, 2015): negamax with alpha-beta
in null windows, a transposition table, move ordering by threats, and no moves that lose at once. Two additions: the
table is probed for all children before the first is searched, which often settles the position; and mirror images share
table entries, which saves two fifths of the work after symmetrical openings.

A board has `rows + 1` bits per column, the lowest cell first and the top bit always empty. `own` are the discs of the
player to move, `mask` all discs. With n cells, a win by disc number d scores (n + 2 - d) // 2 for the winner: 1 with
one of the last two discs, and 18 on 7 x 6 with the first player's fourth disc. A draw scores 0, and a loss the negative
of the opponent's score.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.bits import ONE, ZERO, popcount
from games.engine.jit import njit

BOARD = np.dtype(
    [
        ("height", np.uint64),  # bits of a column: rows + 1
        ("bottom", np.uint64),  # the lowest cell of each column
        ("cells", np.uint64),  # all cells
        ("columns", np.uint64, (8,)),  # cells of each column, the middle one last; moves are searched from the end
        ("width", np.int64),
        ("count", np.int64),  # number of cells
    ]
)
"""Constants of a board size."""
BOUND_BITS = np.uint64(8)
OFFSET = 64
"""Added to a stored score; an upper bound is stored as that, a lower bound with 128 more."""

MIRRORED = 28
"""Number of discs from which mirror images have separate entries; the remaining search is then short."""

NODE = np.dtype(
    [
        ("own", np.uint64),
        ("mask", np.uint64),
        ("key", np.uint64),
        ("moves", np.uint64, (8,)),  # the best last
        ("left", np.int64),  # moves not searched yet
        ("alpha", np.int64),
        ("beta", np.int64),
    ]
)
"""A position on the current line of the search."""


@njit(inline="always", cache=True)
def winning_cells(own: Any, mask: Any, board: Any) -> Any:
    """Return the empty cells that would complete a line of four of the discs `own`, playable or not."""
    result = (own << ONE) & (own << np.uint64(2)) & (own << np.uint64(3))
    for tilt in range(3):
        step = board.height + np.uint64(tilt) - ONE
        twice, thrice = step + step, step + step + step
        pair = (own << step) & (own << twice)
        result |= pair & (own << thrice)
        result |= pair & (own >> step)
        pair = (own >> step) & (own >> twice)
        result |= pair & (own << step)
        result |= pair & (own >> thrice)
    return result & (board.cells ^ mask)


@njit(inline="always", cache=True)
def open_cells(mask: Any, board: Any) -> Any:
    """Return the cell of the next disc of each column."""
    return (mask + board.bottom) & board.cells


@njit(inline="always")
def safe_moves(own: Any, mask: Any, board: Any) -> Any:
    """Return the moves after which the opponent cannot win at once; the player to move cannot win at once."""
    reachable = open_cells(mask, board)
    threats = winning_cells(own ^ mask, mask, board)
    forced = reachable & threats
    if forced:
        if forced & (forced - ONE):
            return ZERO  # two threats cannot both be met
        reachable = forced
    return reachable & ~(threats >> ONE)  # and nothing below a cell where the other wins


@njit(inline="always")
def key_of(own: Any, mask: Any, discs: int, board: Any) -> Any:
    """Return the table key of a position; with few discs it equals that of the mirror image."""
    key = own + mask
    if discs >= MIRRORED:
        return key
    column = (ONE << board.height) - ONE
    image = ZERO
    rest = key
    for _ in range(board.width):
        image = image << board.height | rest & column
        rest >>= board.height
    return min(key, image)


@njit(inline="always")
def slot(key: Any, table: NDArray[np.uint64]) -> Any:
    """Return the table index of a key; the table's length is a power of two."""
    return (key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20) & np.uint64(table.shape[0] - 1)


@njit(inline="always")
def remembered(key: Any, table: NDArray[np.uint64]) -> Any:
    """Return the table value of a position: 0 if absent, else OFFSET + bound, plus 128 for a lower bound."""
    entry = table[slot(key, table)]
    return np.int64(entry & np.uint64(255)) if entry >> BOUND_BITS == key else np.int64(0)


@njit(inline="always")
def remember(key: Any, bound: int, table: NDArray[np.uint64]) -> None:
    """Store a position in the table, always replacing."""
    table[slot(key, table)] = key << BOUND_BITS | np.uint64(bound)


@njit(inline="always")
def open_node(node: Any, discs: int, board: Any, table: NDArray[np.uint64]) -> bool:
    """Bound a position and, if that does not settle it, list its moves; return whether it is settled.

    A settled node has its score in `alpha`. The player to move cannot win at once.
    """
    own, mask = node.own, node.mask
    moves = safe_moves(own, mask, board)
    if moves == ZERO:
        node.alpha = -((board.count - discs) // 2)
        return True
    if discs >= board.count - 2:
        node.alpha = 0
        return True
    node.alpha = max(node.alpha, -((board.count - 2 - discs) // 2))
    node.beta = min(node.beta, (board.count - 1 - discs) // 2)
    if node.alpha >= node.beta:
        if node.alpha > node.beta:
            node.alpha = node.beta
        return True
    key = node.key = key_of(own, mask, discs, board)
    stored = remembered(key, table)
    if stored >= 128:
        node.alpha = max(node.alpha, stored - 128 - OFFSET)
    elif stored > 0:
        node.beta = min(node.beta, stored - OFFSET)
    if node.alpha >= node.beta:
        if stored < 128:
            node.alpha = node.beta
        return True
    return list_moves(node, moves, discs, board, table)


@njit(inline="always")
def list_moves(node: Any, moves: Any, discs: int, board: Any, table: NDArray[np.uint64]) -> bool:
    """Order the moves of a node by the winning cells they create; return whether the table proves one good enough."""
    own, mask = node.own, node.mask
    num_threats = np.empty(8, np.int64)
    count = 0
    for i in range(board.width):
        move = moves & board.columns[i]
        if move == ZERO:
            continue
        stored = remembered(key_of(own ^ mask, mask | move, discs + 1, board), table)
        if 0 < stored < 128 and OFFSET - stored >= node.beta:
            node.alpha = OFFSET - stored
            return True
        threats = popcount(winning_cells(own | move, mask | move, board))
        place = count
        while place > 0 and num_threats[place - 1] > threats:
            num_threats[place] = num_threats[place - 1]
            node.moves[place] = node.moves[place - 1]
            place -= 1
        num_threats[place] = threats
        node.moves[place] = move
        count += 1
    node.left = count
    return False


@njit(cache=True, nogil=True)
def search(
    own: Any, mask: Any, alpha: int, beta: int, board: Any, table: NDArray[np.uint64], nodes: NDArray[Any]
) -> tuple[int, int]:
    """Return the score of a position within a window, and the number of positions searched.

    The score is exact between `alpha` and `beta` and a bound outside. The player to move cannot win at once. `nodes`
    [count + 1] is scratch. An explicit stack replaces recursion, since numba does not cache recursive functions.
    """
    first = popcount(mask)
    ply, num_searched = 0, 1
    node = nodes[0]
    node.own, node.mask, node.alpha, node.beta = own, mask, alpha, beta
    settled = open_node(node, first, board, table)
    while True:
        if settled:
            score = nodes[ply].alpha
            if ply == 0:
                return score, num_searched
            ply -= 1
            node = nodes[ply]
            if -score >= node.beta:
                node.alpha = -score
                remember(node.key, OFFSET + 128 - score, table)
                continue
            node.alpha = max(node.alpha, -score)
        node = nodes[ply]
        if node.left == 0:
            remember(node.key, OFFSET + node.alpha, table)
            settled = True
            continue
        node.left -= 1
        move = node.moves[node.left]
        after = nodes[ply + 1]
        after.own, after.mask = node.own ^ node.mask, node.mask | move
        after.alpha, after.beta = -node.beta, -node.alpha
        ply += 1
        num_searched += 1
        settled = open_node(after, first + ply, board, table)


@njit(cache=True, nogil=True)
def solve(
    own: Any, mask: Any, low: int, high: int, board: Any, table: NDArray[np.uint64], nodes: NDArray[Any]
) -> tuple[int, int]:
    """Return the exact score of a position, known to lie in `low` to `high`, and the number of positions searched.

    A binary search with null windows, biased towards 0.
    """
    num_searched = 0
    discs = popcount(mask)
    if winning_cells(own, mask, board) & open_cells(mask, board):
        return (board.count + 1 - discs) // 2, 1
    low = max(low, -((board.count - discs) // 2))
    high = min(high, (board.count - 1 - discs) // 2)
    while low < high:
        middle = low + (high - low) // 2
        if middle <= 0 and low // 2 < middle:
            middle = -(-low // 2)
        elif middle >= 0 and high // 2 > middle:
            middle = high // 2
        score, more = search(own, mask, middle, middle + 1, board, table, nodes)
        num_searched += more
        if score <= middle:
            high = score
        else:
            low = score
    return low, num_searched
