"""Moves that the pieces can make; whether they leave the own king attacked is seen when they are made."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search.chess.position import (
    BECOMES,
    BISHOP,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    ROOK,
    TO,
    is_attacked,
)
from games.engine.attacks import (
    KING_REACH,
    KNIGHT_REACH,
    pawns_reach_down,
    pawns_reach_up,
    slanting_reach,
    straight_reach,
)
from games.engine.bits import ONE, ZERO, bit, lowest_index
from games.engine.jit import njit

MOST_MOVES = 256
"""More than any position has (218 are known)."""
LAST_RANKS = np.uint64(0xFF000000000000FF)
PASSAGE = np.array([[0x60, 0x0E], [0x60 << 56, 0x0E << 56]], np.uint64)
"""[seat, side]: squares between king and rook, kingside and queenside."""


@njit
def list_moves(position: Any, captures: bool, quiet: bool, moves: NDArray[np.int32]) -> int:
    """Write moves that take or promote to a queen, the other ones, or both into `moves` [M]; return their number."""
    seat = np.int64(position.turn)
    kinds, own, other = position.kinds, position.seats[seat], position.seats[1 - seat]
    occupied = own | other
    targets = (other if captures else ZERO) | (~occupied if quiet else ZERO)
    count = list_pawn_moves(position, seat, captures, quiet, moves)
    knights = kinds[KNIGHT] & own
    while knights:
        square = lowest_index(knights)
        count = append(square, KNIGHT_REACH[square] & targets, moves, count)
        knights &= knights - ONE
    sliders = own & (kinds[BISHOP] | kinds[ROOK] | kinds[QUEEN])
    while sliders:
        square = lowest_index(sliders)
        kind, reach = position.squares[square], ZERO
        if kind != ROOK:
            reach |= slanting_reach(square, occupied)
        if kind != BISHOP:
            reach |= straight_reach(square, occupied)
        count = append(square, reach & targets, moves, count)
        sliders &= sliders - ONE
    king = lowest_index(kinds[KING] & own)
    count = append(king, KING_REACH[king] & targets, moves, count)
    return list_castling(position, seat, king, occupied, moves, count) if quiet else count


@njit(inline="always")
def append(origin: int, targets: Any, moves: NDArray[np.int32], count: int) -> int:
    """Add the moves of one piece."""
    while targets:
        moves[count] = origin | lowest_index(targets) << TO
        count += 1
        targets &= targets - ONE
    return count


@njit(inline="always")
def append_pawns(targets: Any, step: int, lesser: bool, greater: bool, moves: NDArray[np.int32], count: int) -> int:
    """Add moves of pawns that come from `step` squares before; promotions to lesser pieces too, or to queens too."""
    while targets:
        target = lowest_index(targets)
        move = target - step | target << TO
        if bit(target) & LAST_RANKS:
            if greater:
                moves[count] = move | QUEEN << BECOMES
                count += 1
            if lesser:
                for kind in (ROOK, BISHOP, KNIGHT):
                    moves[count] = move | kind << BECOMES
                    count += 1
        else:
            moves[count] = move
            count += 1
        targets &= targets - ONE
    return count


@njit
def list_pawn_moves(position: Any, seat: int, captures: bool, quiet: bool, moves: NDArray[np.int32]) -> int:
    """Write the moves of the pawns; return their number."""
    pawns, other = position.kinds[PAWN] & position.seats[seat], position.seats[1 - seat]
    free = ~(position.seats[0] | position.seats[1])
    count, up = 0, 8 if seat == 0 else -8
    if seat == 0:
        once = pawns << np.uint64(8) & free
        twice = (once & np.uint64(0xFF0000)) << np.uint64(8) & free
    else:
        once = pawns >> np.uint64(8) & free
        twice = (once & np.uint64(0xFF0000000000)) >> np.uint64(8) & free
    if captures:
        count = append_pawns(once & LAST_RANKS, up, False, True, moves, count)
        takes = other | (bit(position.passing) if position.passing >= 0 else ZERO)
        origins = pawns
        while origins:
            square = lowest_index(origins)
            reach = pawns_reach_up(bit(square)) if seat == 0 else pawns_reach_down(bit(square))
            hits = reach & takes
            while hits:
                target = lowest_index(hits)
                count = append_pawns(bit(target), target - square, quiet, True, moves, count)
                hits &= hits - ONE
            origins &= origins - ONE
    if quiet:
        count = append_pawns(once & LAST_RANKS, up, True, False, moves, count)
        count = append_pawns(once & ~LAST_RANKS, up, True, True, moves, count)
        count = append_pawns(twice, 2 * up, True, True, moves, count)
    return count


@njit
def list_castling(position: Any, seat: int, king: int, occupied: Any, moves: NDArray[np.int32], count: int) -> int:
    """Add castling; the square that the king comes to is looked at when the move is made."""
    for side in range(2):
        if position.castling >> (2 * seat + side) & 1 and occupied & PASSAGE[seat, side] == ZERO:
            step = 1 if side == 0 else -1
            if not is_attacked(position, king, 1 - seat) and not is_attacked(position, king + step, 1 - seat):
                moves[count] = king | (king + 2 * step) << TO
                count += 1
    return count
