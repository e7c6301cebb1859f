"""Legal moves, found at once: no move is made to see whether it leaves the king in check.

What gives check, and what would if it were not for one own piece between, is looked up from the king. A piece that is
pinned keeps to its line; one check must be met (capture or block), two must be fled.

Moves are kept in the record as pieces with their targets, seen from the player to move: up the board.
"""

from typing import Any

import numpy as np

from games.chess.board import BOARDS, THIRD_RANK, planes
from games.engine.attacks import (
    KING_REACH,
    KNIGHT_REACH,
    RAYS,
    along,
    knights_reach,
    pawns_reach_down,
    pawns_reach_up,
    slanting_reach,
    sliders_reach,
    straight_reach,
)
from games.engine.bits import ONE, ZERO, bit, has, lowest_index, popcount
from games.engine.jit import njit

MOVERS = 18
"""Pieces that can move at most: all sixteen, and two pawns once more that may take the same one en passant."""
KINGSIDE, QUEENSIDE, QUEENSIDE_SAFE = np.uint64(0x60), np.uint64(0x0E), np.uint64(0x0C)
"""Squares between king and rook; those that must not be attacked."""
KING_GOES_KINGSIDE, KING_GOES_QUEENSIDE = np.uint64(1 << 6), np.uint64(1 << 2)


@njit
def generate(state: Any) -> None:
    """Write the legal moves of the player to move, whether it is in check, and whether it may take en passant."""
    board = state.boards[state.length % BOARDS]
    pawns, knights, slanting, straight, kings, own, occupied = planes(board, state.turn)
    enemy = occupied ^ own
    king = lowest_index(kings & own)
    state.movers = 0
    state.ep_capture = False
    shields, evasions, checks = find_checks(state, king, slanting & enemy, straight & enemy, own, occupied)
    # A knight gives check where a knight on the king's square would go, a pawn where a pawn of ours would take.
    leapers = (KNIGHT_REACH[king] & knights | pawns_reach_up(bit(king)) & pawns) & enemy
    checks += popcount(leapers)
    evasions |= leapers
    state.in_check = checks > 0
    if checks == 0:
        evasions = ~ZERO
        narrow_pinned(state, pawns, slanting, straight, enemy, occupied)
    else:
        state.movers = 0  # what is pinned cannot help
    if checks < 2:  # of a double check only the king itself can get out
        free, targets = own & ~shields, evasions & ~own
        pawn_moves(state, pawns & free, enemy, occupied, targets)
        officer_moves(state, knights & free, slanting & free, straight & free, occupied, targets)
        if state.ep_files[state.length % BOARDS] >= 0:
            en_passant(state, king, pawns & own, leapers, slanting & enemy, straight & enemy, occupied)
    attacked = pawns_reach_down(pawns & enemy) | knights_reach(knights & enemy)
    attacked |= KING_REACH[lowest_index(kings & enemy)]
    # Without the king on the board: it does not shield the squares behind it, to which it would step back.
    attacked |= sliders_reach(slanting & enemy, straight & enemy, occupied ^ bit(king))
    targets = KING_REACH[king] & ~own & ~attacked
    if checks == 0:
        targets |= castling(state.castling >> (2 * state.turn), occupied, attacked)
    add(state, king, targets)


@njit
def add(state: Any, origin: int, targets: Any) -> None:
    """Note where one piece may go, if it may go anywhere."""
    if targets:
        state.origins[state.movers] = origin
        state.targets[state.movers] = targets
        state.movers += 1


@njit
def find_checks(state: Any, king: int, slanting: Any, straight: Any, own: Any, occupied: Any) -> tuple[Any, Any, int]:
    """Return own pinned pieces, squares where a single check can be met, and the number of checks, all by sliders.

    Pinned pieces are added to the moves with the line that they must keep to.
    """
    shields, evasions, checks = ZERO, ZERO, 0
    for line in range(4):
        sliders = straight if line < 2 else slanting
        if (RAYS[line, king, 0] | RAYS[line, king, 1]) & sliders == ZERO:
            continue
        reach = along(line, king, occupied)
        beyond = along(line, king, occupied ^ (reach & own))  # as if the first own piece on either side were away
        for half in range(2):
            near, far = reach & RAYS[line, king, half], beyond & RAYS[line, king, half]
            if near & sliders:
                evasions |= near
                checks += 1
            elif far & sliders:
                shields |= far & own
                add(state, lowest_index(far & own), far)
    return shields, evasions, checks


@njit
def narrow_pinned(state: Any, pawns: Any, slanting: Any, straight: Any, enemy: Any, occupied: Any) -> None:
    """Restrict the lines of pinned pieces to the squares that each can reach."""
    pinned, state.movers = state.movers, 0
    for i in range(pinned):
        square, line = np.int64(state.origins[i]), state.targets[i]
        reach = ZERO
        if has(pawns, square):
            reach = pawn_reach(square, enemy, occupied)
        if has(slanting, square):
            reach |= slanting_reach(square, occupied)
        if has(straight, square):
            reach |= straight_reach(square, occupied)
        add(state, square, reach & line)


@njit
def pawn_reach(square: int, enemy: Any, occupied: Any) -> Any:
    """Return the squares that an own pawn can move to, en passant aside."""
    pawn = bit(square)
    once = pawn << np.uint64(8) & ~occupied
    twice = (once & THIRD_RANK) << np.uint64(8) & ~occupied
    return once | twice | pawns_reach_up(pawn) & enemy


@njit
def pawn_moves(state: Any, pawns: Any, enemy: Any, occupied: Any, targets: Any) -> None:
    """Note the moves of pawns that are not pinned."""
    while pawns:
        square = lowest_index(pawns)
        add(state, square, pawn_reach(square, enemy, occupied) & targets)
        pawns &= pawns - ONE


@njit
def officer_moves(state: Any, knights: Any, slanting: Any, straight: Any, occupied: Any, targets: Any) -> None:
    """Note the moves of knights, bishops, rooks and queens that are not pinned."""
    while knights:
        square = lowest_index(knights)
        add(state, square, KNIGHT_REACH[square] & targets)
        knights &= knights - ONE
    sliders = slanting | straight
    while sliders:
        square = lowest_index(sliders)
        reach = ZERO
        if has(slanting, square):
            reach = slanting_reach(square, occupied)
        if has(straight, square):
            reach |= straight_reach(square, occupied)
        add(state, square, reach & targets)
        sliders &= sliders - ONE


@njit
def en_passant(state: Any, king: int, pawns: Any, leapers: Any, slanting: Any, straight: Any, occupied: Any) -> None:
    """Note captures en passant.

    Two pieces leave a line at once, so that pins are not enough: checks are computed again. `leapers` give check now;
    the sliders are the enemy's.
    """
    target = 40 + state.ep_files[state.length % BOARDS]
    taken = bit(target - 8)
    takers = pawns_reach_down(bit(target)) & pawns
    while takers:
        square = lowest_index(takers)
        after = occupied ^ bit(square) ^ taken ^ bit(target)
        checks = leapers & ~taken | slanting_reach(king, after) & slanting | straight_reach(king, after) & straight
        if checks == ZERO:
            add(state, square, bit(target))
            state.ep_capture = True
        takers &= takers - ONE


@njit
def castling(rights: int, occupied: Any, attacked: Any) -> Any:
    """Return where a king not in check goes by castling; bit 0 of `rights` is kingside, bit 1 queenside."""
    targets = ZERO
    if rights & 1 and (occupied | attacked) & KINGSIDE == ZERO:
        targets |= KING_GOES_KINGSIDE
    if rights & 2 and occupied & QUEENSIDE == ZERO and attacked & QUEENSIDE_SAFE == ZERO:
        targets |= KING_GOES_QUEENSIDE
    return targets
