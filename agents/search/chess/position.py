"""A position of chess as the search holds it, and what a move does to it.

A move is a number: the square that a piece leaves, 64 times the square it goes to, and 4096 times the kind that a pawn
becomes. Squares are 0 = a1 to 63 = h8, kinds 1 = pawn to 6 = king. Seat 0 is white.
"""

from typing import Any

import numpy as np

from agents.search.chess.tables import END, MIDDLE, PHASE
from games.engine.attacks import (
    CASTLING_KEPT,
    KING_REACH,
    KNIGHT_REACH,
    pawns_reach_down,
    pawns_reach_up,
    slanting_reach,
    straight_reach,
)
from games.engine.bits import ZERO, bit, has, lowest_index, number_at, popcount
from games.engine.jit import njit

NONE, PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(7)
TO, BECOMES = 6, 12
"""Bits by which the target of a move and the kind a pawn becomes are shifted."""
NO_MOVE = 0

POSITION = np.dtype(
    [
        ("kinds", np.uint64, (7,)),  # squares of each kind of piece, of both seats
        ("seats", np.uint64, (2,)),  # squares of each seat's pieces
        ("squares", np.int8, (64,)),  # kind of piece on each square
        ("key", np.uint64),  # Zobrist 1970
        ("middle", np.int32),  # value of pieces and their squares in the middle game, white's less black's
        ("end", np.int32),  # the same in the endgame
        ("phase", np.int32),  # officers that are left: 24 at the start
        ("clock", np.int32),  # moves since the last capture or pawn's move
        ("turn", np.int8),  # seat to move
        ("castling", np.int8),  # rights: 1 and 2 white's kingside and queenside, 4 and 8 black's
        ("passing", np.int8),  # square that a pawn has just passed over, -1 for none
    ],
    align=True,
)

_RANDOM = np.random.default_rng(1970)
PIECE_KEYS = _RANDOM.integers(1, 2**64, (2, 7, 64), np.uint64)
CASTLING_KEYS = _RANDOM.integers(1, 2**64, 16, np.uint64)
PASSING_KEYS = _RANDOM.integers(1, 2**64, 65, np.uint64)
"""By the square that was passed over, plus one; the first is 0, for none."""
PASSING_KEYS[0] = 0
TURN_KEY = _RANDOM.integers(1, 2**64, dtype=np.uint64)


@njit(inline="always")
def add(position: Any, seat: int, kind: int, square: int) -> None:
    """Put a piece on an empty square."""
    where = bit(square)
    position.kinds[kind] |= where
    position.seats[seat] |= where
    position.squares[square] = kind
    position.key ^= PIECE_KEYS[seat, kind, square]
    sign, place = (1, square ^ 56) if seat == 0 else (-1, square)  # tables are as white sees the board, a8 first
    position.middle += sign * MIDDLE[kind, place]
    position.end += sign * END[kind, place]
    position.phase += PHASE[kind]


@njit(inline="always")
def remove(position: Any, seat: int, kind: int, square: int) -> None:
    """Take a piece off its square."""
    others = ~bit(square)
    position.kinds[kind] &= others
    position.seats[seat] &= others
    position.squares[square] = NONE
    position.key ^= PIECE_KEYS[seat, kind, square]
    sign, place = (1, square ^ 56) if seat == 0 else (-1, square)
    position.middle -= sign * MIDDLE[kind, place]
    position.end -= sign * END[kind, place]
    position.phase -= PHASE[kind]


@njit
def set_up(position: Any, board: Any, turn: int, castling: int, passing: int, clock: int) -> None:
    """Write the position of a `board` of four words: bits 0, 1 and 2 of the kinds, and where the white pieces are."""
    position.kinds[:] = 0
    position.seats[:] = 0
    position.squares[:] = NONE
    position.key = 0
    position.middle = position.end = position.phase = 0
    for square in range(64):
        kind = number_at(board, square)
        if kind:
            add(position, 0 if has(board[3], square) else 1, kind, square)
    position.turn = turn
    position.castling = castling
    position.passing = passing if can_pass(position, passing, turn) else -1
    position.clock = clock
    position.key ^= CASTLING_KEYS[castling] ^ PASSING_KEYS[position.passing + 1]
    if turn:
        position.key ^= TURN_KEY


@njit(inline="always")
def can_pass(position: Any, square: int, seat: int) -> bool:
    """Return whether a pawn of `seat` attacks the square that a pawn has passed over."""
    if square < 0:
        return False
    pawns = position.kinds[PAWN] & position.seats[seat]
    reach = pawns_reach_up(pawns) if seat == 0 else pawns_reach_down(pawns)
    return reach & bit(square) != ZERO


@njit
def attackers(position: Any, square: int, occupied: Any) -> Any:
    """Return the squares of all pieces of both seats that attack a square, with these squares `occupied`."""
    kinds, where = position.kinds, bit(square)
    queens = kinds[QUEEN]
    pawns = (pawns_reach_down(where) & position.seats[0] | pawns_reach_up(where) & position.seats[1]) & kinds[PAWN]
    leapers = KNIGHT_REACH[square] & kinds[KNIGHT] | KING_REACH[square] & kinds[KING]
    straight = straight_reach(square, occupied) & (kinds[ROOK] | queens)
    return pawns | leapers | straight | slanting_reach(square, occupied) & (kinds[BISHOP] | queens)


@njit
def is_attacked(position: Any, square: int, seat: int) -> bool:
    """Return whether a piece of `seat` attacks a square."""
    own, kinds, where = position.seats[seat], position.kinds, bit(square)
    reach = pawns_reach_down(where) if seat == 0 else pawns_reach_up(where)
    if (reach & kinds[PAWN] | KNIGHT_REACH[square] & kinds[KNIGHT] | KING_REACH[square] & kinds[KING]) & own:
        return True
    occupied = position.seats[0] | position.seats[1]
    if slanting_reach(square, occupied) & (kinds[BISHOP] | kinds[QUEEN]) & own:
        return True
    return straight_reach(square, occupied) & (kinds[ROOK] | kinds[QUEEN]) & own != ZERO


@njit(inline="always")
def is_check(position: Any, seat: int) -> bool:
    """Return whether the king of `seat` is attacked."""
    return is_attacked(position, lowest_index(position.kinds[KING] & position.seats[seat]), 1 - seat)


@njit
def make(position: Any, move: int) -> bool:
    """Make a move that the pieces can make; return False, the position spoilt, if it leaves the own king attacked."""
    origin, target, becomes = move & 63, move >> TO & 63, move >> BECOMES
    seat = np.int64(position.turn)
    kind, taken = np.int64(position.squares[origin]), np.int64(position.squares[target])
    position.key ^= CASTLING_KEYS[position.castling] ^ PASSING_KEYS[position.passing + 1]
    position.clock += 1
    if taken:
        remove(position, 1 - seat, taken, target)
        position.clock = 0
    remove(position, seat, kind, origin)
    add(position, seat, becomes if becomes else kind, target)
    passed = -1
    if kind == PAWN:
        position.clock = 0
        if target == position.passing:
            remove(position, 1 - seat, PAWN, target ^ 8)
        elif abs(target - origin) == 16:
            passed = (origin + target) // 2
    elif kind == KING and abs(target - origin) == 2:
        corner = target + 1 if target > origin else target - 2
        remove(position, seat, ROOK, corner)
        add(position, seat, ROOK, (origin + target) // 2)
    position.castling &= CASTLING_KEPT[origin] & CASTLING_KEPT[target]
    position.turn = 1 - seat
    position.passing = passed if can_pass(position, passed, 1 - seat) else -1
    position.key ^= CASTLING_KEYS[position.castling] ^ PASSING_KEYS[position.passing + 1] ^ TURN_KEY
    return not is_check(position, seat)


@njit
def make_none(position: Any) -> None:
    """Let the seat to move pass."""
    position.key ^= PASSING_KEYS[position.passing + 1] ^ TURN_KEY
    position.passing = -1
    position.clock = 0  # no position before it is repeated
    position.turn = 1 - position.turn


@njit(inline="always")
def has_officers(position: Any, seat: int) -> bool:
    """Return whether a seat has a piece beside king and pawns."""
    return position.seats[seat] & ~(position.kinds[PAWN] | position.kinds[KING]) != ZERO


@njit
def cannot_mate(position: Any) -> bool:
    """Return whether nobody has more than one knight or bishop beside the king."""
    kinds = position.kinds
    if kinds[PAWN] | kinds[ROOK] | kinds[QUEEN]:
        return False
    return popcount(kinds[KNIGHT] | kinds[BISHOP]) <= 1
