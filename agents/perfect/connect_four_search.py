"""Connect Four to the end: compiled search on boards of 64 bits.

After Pascal Pons, "Solving Connect 4: how to build a perfect AI" (blog.gamesolver.org, 2015): negamax with alpha-beta
in windows of one point, a table of positions, moves ordered by the threats that they make, and none looked at that lose
at once. Added here: before a position's moves are searched, the table is asked about each of them, which often settles
it; and mirror images share what the table holds, which saves two fifths of the work after symmetrical openings.

A board has `rows + 1` bits a column, the lowest first, the top one always empty. `own` are the discs of the player to
move, `mask` all discs. A score is how far ahead of the full board the winner wins: with n cells, a win by the disc
number d is worth (n + 2 - d) // 2 to the winner, so 1 with the very last disc (or the one before it) and 18 on
7 x 6 with the fourth disc of the player who begins. A draw is 0, and a loss the negative of the other's win.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from games.engine.bits import ONE, ZERO, popcount

BOARD = np.dtype(
    [
        ("height", np.uint64),  # bits of a column: rows + 1
        ("bottom", np.uint64),  # the lowest cell of each column
        ("cells", np.uint64),  # all cells
        ("columns", np.uint64, (8,)),  # cells of each column, in the order in which moves are tried: the middle last
        ("width", np.int64),
        ("count", np.int64),  # how many cells there are
    ]
)
"""The measures of a board, which do not change."""
BOUND_BITS = np.uint64(8)
OFFSET = 64
"""Scores are kept with this added: a bound from above as it is, one from below with 128 more."""

MIRRORED = 28
"""Discs from which on a position and its mirror image are looked up apart: what is left to search is small by then."""

NODE = np.dtype(
    [
        ("own", np.uint64),
        ("mask", np.uint64),
        ("key", np.uint64),
        ("moves", np.uint64, (8,)),  # the best last
        ("left", np.int64),  # how many of them have not been tried
        ("alpha", np.int64),
        ("beta", np.int64),
    ]
)
"""A position of the line under search."""


@njit(inline="always")
def winning_cells(own: Any, mask: Any, board: Any) -> Any:
    """Empty cells that would complete a line of four for the discs `own`, reachable or not."""
    found = (own << ONE) & (own << np.uint64(2)) & (own << np.uint64(3))
    for tilt in range(3):
        step = board.height + np.uint64(tilt) - ONE
        twice, thrice = step + step, step + step + step
        pair = (own << step) & (own << twice)
        found |= pair & (own << thrice)
        found |= pair & (own >> step)
        pair = (own >> step) & (own >> twice)
        found |= pair & (own << step)
        found |= pair & (own >> thrice)
    return found & (board.cells ^ mask)


@njit(inline="always")
def open_cells(mask: Any, board: Any) -> Any:
    """Where the next disc of each column would come to lie."""
    return (mask + board.bottom) & board.cells


@njit(inline="always")
def safe_moves(own: Any, mask: Any, board: Any) -> Any:
    """Moves after which the other player does not win at once; for a player who cannot win at once."""
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
    """The number by which the table knows a position: while there are few discs, its mirror image has the same."""
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
    """Where the table keeps a position; its length is a power of two."""
    return (key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20) & np.uint64(table.shape[0] - 1)


@njit(inline="always")
def remembered(key: Any, table: NDArray[np.uint64]) -> Any:
    """What the table holds of a position: 0 for nothing, else OFFSET + bound, 128 more for one from below."""
    entry = table[slot(key, table)]
    return np.int64(entry & np.uint64(255)) if entry >> BOUND_BITS == key else np.int64(0)


@njit(inline="always")
def remember(key: Any, bound: int, table: NDArray[np.uint64]) -> None:
    """Put a position into the table, in place of whatever was there."""
    table[slot(key, table)] = key << BOUND_BITS | np.uint64(bound)


@njit(inline="always")
def open_node(node: Any, discs: int, board: Any, table: NDArray[np.uint64]) -> bool:
    """Bound a position, and list its moves if that does not settle it; returns whether it did, with `alpha` its score.

    The player to move cannot win at once.
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
    held = remembered(key, table)
    if held >= 128:
        node.alpha = max(node.alpha, held - 128 - OFFSET)
    elif held > 0:
        node.beta = min(node.beta, held - OFFSET)
    if node.alpha >= node.beta:
        if held < 128:
            node.alpha = node.beta
        return True
    return list_moves(node, moves, discs, board, table)


@njit(inline="always")
def list_moves(node: Any, moves: Any, discs: int, board: Any, table: NDArray[np.uint64]) -> bool:
    """Order the moves of a node by the winning cells that they make; whether the table knows one to be good enough."""
    own, mask = node.own, node.mask
    worth = np.empty(8, np.int64)
    count = 0
    for i in range(board.width):
        move = moves & board.columns[i]
        if move == ZERO:
            continue
        held = remembered(key_of(own ^ mask, mask | move, discs + 1, board), table)
        if 0 < held < 128 and OFFSET - held >= node.beta:
            node.alpha = OFFSET - held
            return True
        threats = popcount(winning_cells(own | move, mask | move, board))
        place = count
        while place > 0 and worth[place - 1] > threats:
            worth[place] = worth[place - 1]
            node.moves[place] = node.moves[place - 1]
            place -= 1
        worth[place] = threats
        node.moves[place] = move
        count += 1
    node.left = count
    return False


@njit(cache=True, nogil=True)
def search(
    own: Any, mask: Any, alpha: int, beta: int, board: Any, table: NDArray[np.uint64], nodes: NDArray[Any]
) -> tuple[int, int]:
    """The score of a position within a window, and how many positions were looked at.

    The score is exact between `alpha` and `beta`, a bound beyond them. The player to move cannot win at once. `nodes`
    [count + 1] is scratch. The walk keeps its own stack, since numba does not cache a function that calls itself.
    """
    first = popcount(mask)
    ply, looked = 0, 1
    node = nodes[0]
    node.own, node.mask, node.alpha, node.beta = own, mask, alpha, beta
    settled = open_node(node, first, board, table)
    while True:
        if settled:
            worth = nodes[ply].alpha
            if ply == 0:
                return worth, looked
            ply -= 1
            node = nodes[ply]
            if -worth >= node.beta:
                node.alpha = -worth
                remember(node.key, OFFSET + 128 - worth, table)
                continue
            node.alpha = max(node.alpha, -worth)
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
        looked += 1
        settled = open_node(after, first + ply, board, table)


@njit(cache=True, nogil=True)
def solve(
    own: Any, mask: Any, low: int, high: int, board: Any, table: NDArray[np.uint64], nodes: NDArray[Any]
) -> tuple[int, int]:
    """The exact score of a position whose score is between `low` and `high`, and how many positions were looked at.

    Windows of one point, the middle one first but none far from 0: each halves what the score may be.
    """
    looked = 0
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
        worth, more = search(own, mask, middle, middle + 1, board, table, nodes)
        looked += more
        if worth <= middle:
            high = worth
        else:
            low = worth
    return low, looked
