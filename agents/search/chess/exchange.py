"""What captures on one square come to if both seats take as long as it pays (static exchange evaluation).

https://www.chessprogramming.org/SEE_-_The_Swap_Algorithm
"""

from typing import Any

import numpy as np

from agents.search.chess.position import BECOMES, KING, NONE, PAWN, TO, attackers
from games.engine.bits import ZERO, bit
from games.engine.jit import njit

WORTH = np.array([0, 100, 325, 335, 500, 975, 20_000])
"""[kind], in centipawns."""


@njit
def exchange_wins(position: Any, move: int, least: int) -> bool:
    """Return whether the captures that begin with a move bring at least so many centipawns."""
    origin, target, becomes = move & 63, move >> TO & 63, move >> BECOMES
    kind, taken = int(position.squares[origin]), int(position.squares[target])
    passing = kind == PAWN and target == position.passing
    balance = (WORTH[PAWN] if passing else WORTH[taken]) - least
    stands = kind
    if becomes:
        balance += WORTH[becomes] - WORTH[PAWN]
        stands = becomes
    if balance < 0:
        return False
    balance -= WORTH[stands]  # what stands on the square is lost if it is taken
    if balance >= 0:
        return True
    occupied = (position.seats[0] | position.seats[1]) & ~bit(origin) | bit(target)
    if passing:
        occupied &= ~bit(target ^ 8)
    mover = np.int64(position.turn)
    seat = 1 - mover
    while True:
        hitting = attackers(position, target, occupied) & occupied
        own = hitting & position.seats[seat]
        if own == ZERO:
            break
        kind = least_of(position, own)
        piece = own & position.kinds[kind]
        occupied &= ~(piece & (ZERO - piece))
        seat = 1 - seat
        balance = -balance - 1 - WORTH[kind]
        if balance >= 0:
            if kind == KING and hitting & position.seats[seat]:
                seat = 1 - seat  # a king may not take what is guarded
            break
    return seat != mover


@njit(inline="always")
def least_of(position: Any, pieces: Any) -> int:
    """Return the kind of the piece that is worth least."""
    for kind in range(PAWN, KING):
        if pieces & position.kinds[kind]:
            return kind
    return KING


@njit(inline="always")
def gain(position: Any, move: int) -> int:
    """Return what a move takes and what it promotes to, in centipawns."""
    taken, becomes = np.int64(position.squares[move >> TO & 63]), move >> BECOMES
    won = WORTH[taken] + (WORTH[becomes] - WORTH[PAWN] if becomes else 0)
    if taken == NONE and position.squares[move & 63] == PAWN and move >> TO & 63 == position.passing:
        won += WORTH[PAWN]
    return won
