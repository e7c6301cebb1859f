"""Compiled search of othello endgames to the last disc: the exact lead in discs, or bounds of it.

Principal variation search (Marsland and Campbell 1982) with a transposition table of two entries a place. Moves are
tried in the order of how few replies they leave ("fastest first"), those into regions with an odd number of empty cells
before others, and near the end by these regions alone (Andersson, "Writing an Othello program", 2007). What the table
proves of the positions after the moves is used before they are searched.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.perfect.othello_board import BoardMasks, beside, final_score, moves_of, turned_by
from agents.perfect.position_table import index_of, known_bounds, remember
from games.engine.bits import ONE, ZERO, bit, lowest_index, popcount
from games.engine.jit import njit

MOST_MOVES = 33
"""Number of legal moves in a position, at most."""
MOST_DISCS = 64
UNKNOWN = -100
"""Less than any score."""
SHALLOW = 6
"""Empty cells up to which positions are searched without ordering by replies, and not stored: that is faster there."""
WITH_TABLE = 11
"""Empty cells from which the table is asked about the positions after each move."""
WITH_FRONTIER = 10
"""Empty cells from which the order of moves takes more than the replies into account."""
QUADRANTS = np.array([0x0F0F0F0F, 0xF0F0F0F0, 0x0F0F0F0F << 32, 0xF0F0F0F0 << 32], np.uint64)
"""Regions whose empty cells are counted."""

CANDIDATES = np.dtype(
    [
        ("own", np.uint64, (MOST_MOVES,)),  # the position after the move, of the player who moves there
        ("other", np.uint64, (MOST_MOVES,)),
        ("key", np.int32, (MOST_MOVES,)),  # the lower, the earlier it is tried
        ("cell", np.int8, (MOST_MOVES,)),
    ]
)
"""The moves of a position, in the order in which they are tried."""


class EndgameWorkspace(NamedTuple):
    """Memory of a search."""

    board: BoardMasks
    table: NDArray[Any]
    """Records `ENTRY` of `agents.perfect.position_table`."""
    candidates: NDArray[Any]
    """Records `CANDIDATES` [65], of the positions on the current line by their number of empty cells."""
    searched: NDArray[np.int64]
    """Number of positions searched, [1]."""


@njit
def solve_last(own: Any, other: Any, board: BoardMasks) -> int:
    """Return the score of a position with one empty cell at most."""
    move = board.cells & ~(own | other)
    turned = turned_by(move, own, other, board)
    if turned:
        return final_score(own | move | turned, other ^ turned, board)
    turned = turned_by(move, other, own, board)
    return final_score(own ^ turned, other | move | turned, board) if turned else final_score(own, other, board)


@njit
def odd_quadrants(empty: Any) -> Any:
    """Return the quadrants with an odd number of empty cells."""
    odd = ZERO
    for i in range(QUADRANTS.shape[0]):
        if popcount(empty & QUADRANTS[i]) & 1:
            odd |= QUADRANTS[i]
    return odd


@njit(nogil=True)
def search_shallow(
    own: Any, other: Any, alpha: int, beta: int, odd: Any, board: BoardMasks, searched: NDArray[np.int64]
) -> int:
    """Return the score of a position with few empty cells; those in `odd` are tried first."""
    searched[0] += 1
    empty = board.cells & ~(own | other)
    if empty & (empty - ONE) == ZERO:
        return solve_last(own, other, board)
    best = UNKNOWN
    for region in (odd, ~odd):
        left = empty & region
        while left:
            cell = lowest_index(left)
            move = bit(cell)
            left ^= move
            turned = turned_by(move, own, other, board)
            if turned == ZERO:
                continue
            mine, theirs = own | move | turned, other ^ turned
            then_odd = odd ^ QUADRANTS[(cell >> 2 & 1) + (cell >> 5) * 2]
            best = max(best, -search_shallow(theirs, mine, -beta, -alpha, then_odd, board, searched))
            alpha = max(alpha, best)
            if best >= beta:
                return best
    if best > UNKNOWN:
        return best
    if moves_of(other, own, board) == ZERO:
        return final_score(own, other, board)
    return -search_shallow(other, own, -beta, -alpha, odd, board, searched)


@njit
def priority(cell: int, own: Any, other: Any, odd: Any, board: BoardMasks) -> int:
    """Return how late a move is tried that leads to a position with `own` to answer it."""
    replies = moves_of(own, other, board)
    key = 16 * (popcount(replies) + popcount(replies & board.corners))
    empty = board.cells & ~(own | other)
    if popcount(empty) >= WITH_FRONTIER - 1:
        key += 8 * popcount(beside(other, board) & empty) - 16 * popcount(other & board.corners)
    return key - 8 if odd & bit(cell) else key


@njit
def list_candidates(own: Any, other: Any, legal: Any, first: int, space: EndgameWorkspace) -> int:
    """Write the legal moves in the order in which they are tried, the cell `first` before all; return their number."""
    empty = space.board.cells & ~(own | other)
    candidates = space.candidates[popcount(empty)]
    odd = odd_quadrants(empty)
    count = 0
    while legal:
        cell = lowest_index(legal)
        move = bit(cell)
        legal ^= move
        turned = turned_by(move, own, other, space.board)
        theirs, mine = other ^ turned, own | move | turned
        key = UNKNOWN if cell == first else priority(cell, theirs, mine, odd, space.board)
        place = count
        while place > 0 and candidates.key[place - 1] > key:
            candidates.own[place], candidates.other[place] = candidates.own[place - 1], candidates.other[place - 1]
            candidates.key[place], candidates.cell[place] = candidates.key[place - 1], candidates.cell[place - 1]
            place -= 1
        candidates.own[place], candidates.other[place] = theirs, mine
        candidates.key[place], candidates.cell[place] = key, cell
        count += 1
    return count


@njit
def proven_above(candidates: Any, count: int, beta: int, table: NDArray[Any]) -> Any:
    """Return a score of at least `beta` that the table proves of one of the moves; `UNKNOWN` if of none."""
    for i in range(count):
        own, other = candidates.own[i], candidates.other[i]
        entry = table[index_of(own, other, table)]
        if entry.own == own and entry.other == other and -entry.high >= beta:
            return -np.int64(entry.high)
    return UNKNOWN


@njit(cache=True, nogil=True)
def search(own: Any, other: Any, alpha: int, beta: int, space: EndgameWorkspace) -> int:
    """Return the score of the player to move, who may have to pass; outside of (`alpha`, `beta`) a bound of it."""
    board, table = space.board, space.table
    empty = board.cells & ~(own | other)
    if popcount(empty) <= SHALLOW:
        return search_shallow(own, other, alpha, beta, odd_quadrants(empty), board, space.searched)
    space.searched[0] += 1
    least, most, first = known_bounds(own, other, MOST_DISCS, table)
    if least >= beta or least == most:
        return least
    if most <= alpha:
        return most
    alpha, beta = max(alpha, least), min(beta, most)
    legal = moves_of(own, other, board)
    if legal == ZERO and moves_of(other, own, board) == ZERO:
        return final_score(own, other, board)
    if legal == ZERO:
        return -search(other, own, -beta, -alpha, space)
    count = list_candidates(own, other, legal, first, space)
    candidates = space.candidates[popcount(empty)]
    if popcount(empty) >= WITH_TABLE:
        proven = proven_above(candidates, count, beta, table)
        if proven > UNKNOWN:
            return proven
    best, cell, low = UNKNOWN, -1, alpha
    for i in range(count):
        theirs, mine = candidates.own[i], candidates.other[i]
        score = -search(theirs, mine, -beta if i == 0 else -low - 1, -low, space)
        if i > 0 and low < score < beta:
            score = -search(theirs, mine, -beta, -score, space)
        if score > best:
            best, cell = score, int(candidates.cell[i])
            low = max(low, best)
            if best >= beta:
                break
    known_low, known_high = best if best > alpha else -MOST_DISCS, best if best < beta else MOST_DISCS
    remember(own, other, known_low, known_high, cell, popcount(empty), table)
    return best


@njit(cache=True, nogil=True)
def reaches(own: Any, other: Any, cell: int, score: int, space: EndgameWorkspace) -> bool:
    """Return whether a legal move leads to at least this score."""
    move = bit(cell)
    turned = turned_by(move, own, other, space.board)
    return -search(other ^ turned, own | move | turned, -score, 1 - score, space) >= score
