"""The value of a position without looking ahead, in centipawns.

Pieces on their squares (`tables`), and beside them what these cannot know: pairs of bishops, passed, doubled and
isolated pawns, rooks on open files, mobility, and pieces that bear upon a king. Each counts differently in the middle
game and in the endgame; the phase of the game is between the two. What they count is a record of `WEIGHTS`, so that
it can be tuned.
"""

from typing import Any

import numpy as np

from agents.search.chess.position import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from agents.search.chess.tables import WHOLE_PHASE
from agents.search.chess.weights import USUAL_MOBILITY
from games.engine.attacks import (
    KING_REACH,
    KNIGHT_REACH,
    pawns_reach_down,
    pawns_reach_up,
    slanting_reach,
    straight_reach,
)
from games.engine.bits import ONE, ZERO, lowest_index, popcount
from games.engine.jit import njit

FILES = np.array([0x0101010101010101 << file for file in range(8)], np.uint64)
BESIDE = np.array(
    [(0x0101010101010101 << f - 1 if f > 0 else 0) | (0x0101010101010101 << f + 1 if f < 7 else 0) for f in range(8)],
    np.uint64,
)
"""The files beside a file."""


def _ahead(seat: int, square: int) -> int:
    """Return the squares in front of a pawn, on its file and those beside it."""
    file, rank = square % 8, square // 8
    ranks = range(rank + 1, 8) if seat == 0 else range(rank)
    return sum(1 << 8 * r + f for r in ranks for f in range(max(file - 1, 0), min(file + 2, 8)))


AHEAD = np.array([[_ahead(seat, square) for square in range(64)] for seat in range(2)], np.uint64)


@njit
def evaluate(position: Any, weights: Any) -> int:
    """Return the value of a position for the seat to move, by a record of `WEIGHTS`."""
    middle, end = np.int64(position.middle), np.int64(position.end)  # white's less black's
    for seat in range(2):
        sign = 1 - 2 * seat
        pawns = pawn_structure(position, seat, weights)
        pieces = activity(position, seat, weights)
        middle += sign * (pawns[0] + pieces[0])
        end += sign * (pawns[1] + pieces[1])
    if position.turn:
        middle, end = -middle, -end
    phase = min(int(position.phase), WHOLE_PHASE)
    return tamed(position, (middle * phase + end * (WHOLE_PHASE - phase)) // WHOLE_PHASE) + weights.tempo


@njit
def pawn_structure(position: Any, seat: int, weights: Any) -> tuple[int, int]:
    """Return what the pawns of a seat are worth beside their squares, in the middle game and in the endgame."""
    own, other = position.kinds[PAWN] & position.seats[seat], position.kinds[PAWN] & position.seats[1 - seat]
    middle, end, left = 0, 0, own
    while left:
        square = lowest_index(left)
        left &= left - ONE
        file, rank = square & 7, square >> 3 if seat == 0 else 7 - (square >> 3)
        if own & BESIDE[file] == ZERO:
            middle, end = middle + weights.isolated, end + weights.isolated_end
        if left & FILES[file]:
            middle, end = middle + weights.doubled, end + weights.doubled_end
        if other & AHEAD[seat, square] == ZERO:
            middle, end = middle + weights.passed[rank], end + weights.passed_end[rank]
    return middle, end


@njit
def activity(position: Any, seat: int, weights: Any) -> tuple[int, int]:
    """Return what the officers of a seat are worth by where they can go, in the middle game and in the endgame."""
    kinds, own, other = position.kinds, position.seats[seat], position.seats[1 - seat]
    occupied, middle, end = own | other, 0, 0
    pawns, others_pawns = kinds[PAWN] & own, kinds[PAWN] & other
    guarded = pawns_reach_down(others_pawns) if seat == 0 else pawns_reach_up(others_pawns)
    free, ring = ~(own | guarded), KING_REACH[lowest_index(kinds[KING] & other)]
    if popcount(kinds[BISHOP] & own) >= 2:
        middle, end = middle + weights.bishop_pair, end + weights.bishop_pair_end
    attackers, pressure = 0, 0
    left = own & ~(kinds[PAWN] | kinds[KING])
    while left:
        square = lowest_index(left)
        left &= left - ONE
        kind, reach = np.int64(position.squares[square]), KNIGHT_REACH[square]
        if kind != KNIGHT:
            reach = slanting_reach(square, occupied) if kind != ROOK else ZERO
            if kind != BISHOP:
                reach |= straight_reach(square, occupied)
        if kind == ROOK and pawns & FILES[square & 7] == ZERO:
            if others_pawns & FILES[square & 7] == ZERO:
                middle, end = middle + weights.open_file, end + weights.open_file_end
            else:
                middle, end = middle + weights.half_open_file, end + weights.half_open_file_end
        more = popcount(reach & free) - USUAL_MOBILITY[kind]
        middle, end = middle + weights.mobility[kind] * more, end + weights.mobility_end[kind] * more
        if reach & ring:
            attackers += 1
            pressure += weights.pressure[kind] * popcount(reach & ring)
    if attackers >= 2:  # one alone threatens nothing
        middle += pressure * min(attackers, 4) // 4
    return middle, end


@njit
def tamed(position: Any, value: int) -> int:
    """Return the value, or less of it where who is better can hardly win: no pawns, no more than a minor ahead."""
    better = np.int64(position.turn) if value > 0 else 1 - np.int64(position.turn)
    if position.kinds[PAWN] & position.seats[better]:
        return value
    own, lead = officers(position, better), officers(position, better) - officers(position, 1 - better)
    if own <= 3:
        return 0
    return value // 4 if lead <= 3 else value


@njit(inline="always")
def officers(position: Any, seat: int) -> int:
    """Return the officers of a seat, counted as 3, 5 and 9."""
    kinds, own = position.kinds, position.seats[seat]
    minors = popcount((kinds[KNIGHT] | kinds[BISHOP]) & own)
    return 3 * minors + 5 * popcount(kinds[ROOK] & own) + 9 * popcount(kinds[QUEEN] & own)
