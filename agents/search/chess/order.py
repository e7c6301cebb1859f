"""The order of moves: the table's, captures that win, killers, quiet moves by their history, captures that lose."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search.chess.exchange import exchange_wins, gain
from agents.search.chess.position import BECOMES
from agents.search.chess.space import Space
from games.engine.jit import njit

HINT, GOOD, KILLER, BAD = 1 << 30, 1 << 26, 1 << 22, -(1 << 26)
MOST_HISTORY = 1 << 14
"""Bound of an entry of the history."""


@njit
def score_moves(space: Space, ply: int, count: int, hint: int) -> None:
    """Write the scores of the moves of a node; `hint` is the best move of an earlier search, or NO_MOVE."""
    position, moves, scores = space.stack[ply], space.moves[ply], space.scores[ply]
    seat = np.int64(position.turn)
    for i in range(count):
        move = moves[i]
        won = gain(position, move)
        if move == hint:
            scores[i] = HINT
        elif won:
            mover = np.int64(position.squares[move & 63])
            scores[i] = (GOOD if exchange_wins(position, move, 0) else BAD) + 8 * won - mover
        elif move >> BECOMES:
            scores[i] = BAD
        elif move == space.killers[ply, 0] or move == space.killers[ply, 1]:
            scores[i] = KILLER + (move == space.killers[ply, 0])
        else:
            scores[i] = space.history[seat, move & 4095]


@njit(inline="always")
def pick(moves: NDArray[np.int32], scores: NDArray[np.int32], cursor: int, count: int) -> int:
    """Bring the move with the highest score among those from `cursor` on to that place; return it."""
    best = cursor
    for i in range(cursor + 1, count):
        if scores[i] > scores[best]:
            best = i
    moves[cursor], moves[best] = moves[best], moves[cursor]
    scores[cursor], scores[best] = scores[best], scores[cursor]
    return moves[cursor]


@njit
def reward(space: Space, ply: int, depth: int) -> None:
    """Note that the current quiet move of a node was too good, and that the quiet ones before it were not."""
    frame, moves, seat = space.frames[ply], space.moves[ply], np.int64(space.stack[ply].turn)
    if space.killers[ply, 0] != frame.current:
        space.killers[ply, 1] = space.killers[ply, 0]
        space.killers[ply, 0] = frame.current
    bonus = min(depth * depth * 8, 1600)
    for i in range(frame.cursor):
        move = moves[i]
        if gain(space.stack[ply], move) == 0 and not move >> BECOMES:
            change = bonus if move == frame.current else -bonus
            old = space.history[seat, move & 4095]
            space.history[seat, move & 4095] = old + change - old * bonus // MOST_HISTORY


@njit(inline="always")
def is_quiet(position: Any, move: int) -> bool:
    """Return whether a move neither takes nor promotes."""
    return gain(position, move) == 0 and not move >> BECOMES
