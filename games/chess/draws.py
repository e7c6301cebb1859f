"""Draws: by insufficient material, by repetition, by the fifty-move rule; and claims a move ahead.

A player may claim a draw by the third occurrence or the fifty moves also with the move that brings it about. Claims are
judged as python-chess does, and made for whoever could: so PettingZoo's game ends.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.chess.board import BOARDS, PAWN, copy_board, kind_at, relocate
from games.chess.keys import key_after
from games.chess.moves import generate
from games.engine.bits import ONE, ZERO, lowest_index, popcount
from games.engine.jit import njit

DARK = np.uint64(0xAA55AA55AA55AA55)
FIFTY_MOVES = 100
"""Moves of both players without a capture or a pawn's move that end the game."""


@njit
def insufficient_material(board: NDArray[Any]) -> bool:
    """Return whether nobody can mate: bare kings, one knight or bishop beside them, or bishops on one colour only."""
    low, middle, high = board[0], board[1], board[2]
    if (high & ~middle) | (low & ~middle):  # rooks and queens, pawns
        return False
    knights, bishops = middle & ~low & ~high, middle & low
    if knights:
        return popcount(low | middle | high) == 3
    return bishops & DARK == ZERO or bishops & ~DARK == ZERO


@njit
def occurrences(state: Any, key: Any, clock: int) -> int:
    """Return how often position `key`, reached at `clock`, has occurred, this time included."""
    times = 1
    for before in range(clock - 4, -1, -2):
        times += state.keys[before] == key
    return times


@njit
def can_claim(state: Any) -> bool:
    """Return whether some move leads to a third occurrence of a position, or to the fifty-move rule."""
    if state.clock + 1 < FIFTY_MOVES and state.recurrences == 0:
        return False
    upside_down = 56 * np.int64(state.turn)
    for i in range(state.movers):
        origin = state.origins[i] ^ upside_down
        board = state.boards[state.length % BOARDS]
        kind = kind_at(board, origin)
        targets = state.targets[i]
        while targets and kind != PAWN:
            target = lowest_index(targets) ^ upside_down
            if kind_at(board, target) == 0:
                if occurrences(state, key_after(state, kind, origin, target), np.int64(state.clock + 1)) >= 3:
                    return True
                if state.clock + 1 == FIFTY_MOVES and can_be_answered(state, kind, origin, target):
                    return True
            targets &= targets - ONE
    return False


@njit
def can_be_answered(state: Any, kind: int, origin: int, target: int) -> bool:
    """Return whether the opponent has a legal reply to a move that is neither a capture nor a pawn's."""
    state.length += 1
    copy_board(state)
    relocate(state.boards[state.length % BOARDS], np.int64(state.turn), kind, origin, target)
    state.ep_files[state.length % BOARDS] = -1
    state.turn = 1 - state.turn
    generate(state)
    answered = state.movers > 0
    state.length -= 1
    state.turn = 1 - state.turn
    generate(state)
    return answered
