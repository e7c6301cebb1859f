"""Search of captures, promotions and evasions of check alone, until nothing is left hanging."""

import numpy as np

from agents.search.chess.evaluate import evaluate
from agents.search.chess.exchange import gain
from agents.search.chess.generate import list_moves
from agents.search.chess.order import pick, score_moves
from agents.search.chess.position import NO_MOVE, cannot_mate, is_check, make
from agents.search.chess.space import PLIES, Space
from agents.search.transpositions import entry_of, settles
from games.engine.jit import njit

MATE, INFINITE = 30_000, 31_000
"""The value of a king that is mated at the root, of either sign; more than any value."""
MATED = MATE - 1_000
"""Values beyond it, of either sign, are of mates."""
DELTA = 180
"""Centipawns by which a capture that cannot raise alpha may fall short of it."""


@njit(inline="always")
def value_from_table(value: int, ply: int) -> int:
    """Return a stored value, whose mates are counted from its position, as it is `ply` plies from the root."""
    if value > MATED:
        return value - ply
    return value + ply if value < -MATED else value


@njit
def quiesce(space: Space, first: int, alpha: int, beta: int) -> int:
    """Return the value of the position at ply `first` for its seat to move, exact between `alpha` and `beta`."""
    frames, ply, entering, value = space.frames, first, True, 0
    frames[ply].alpha, frames[ply].beta = alpha, beta
    while True:
        frame = frames[ply]
        if entering:
            settled, value = stand(space, ply)
        else:
            if value > frame.best:
                frame.best = value
                frame.alpha = max(frame.alpha, value)
            settled = frame.best >= frame.beta
            value = frame.best
        if not settled:
            if try_next(space, ply):
                frames[ply + 1].alpha, frames[ply + 1].beta = -frame.beta, -frame.alpha
                ply += 1
                entering = True
                continue
            value = -MATE + ply if frame.check and frame.searched == 0 else frame.best
        if ply == first:
            return value
        ply -= 1
        value = -value
        entering = False


@njit
def stand(space: Space, ply: int) -> tuple[bool, int]:
    """Enter a node: return whether its value is known at once, and that value; otherwise list its moves."""
    frame, position = space.frames[ply], space.stack[ply]
    if cannot_mate(position):
        return True, 0
    entry = entry_of(space.table, position.key)
    hint = NO_MOVE
    if entry.key == position.key:
        hint = entry.move
        known = value_from_table(entry.value, ply)
        if settles(entry.bound, known, frame.alpha, frame.beta):
            return True, known
    frame.check = is_check(position, np.int64(position.turn))
    frame.static = -INFINITE if frame.check else evaluate(position, space.weights[0])
    if ply == PLIES - 1:
        return True, 0 if frame.check else frame.static
    frame.best = frame.static
    if frame.best >= frame.beta:
        return True, frame.best
    frame.alpha = max(frame.alpha, frame.best)
    frame.count = list_moves(position, True, frame.check, space.moves[ply])
    score_moves(space, ply, frame.count, hint)
    frame.cursor = frame.searched = 0
    return False, 0


@njit
def try_next(space: Space, ply: int) -> bool:
    """Make the next move that may matter in the position after this one; False if there is none."""
    frame, position = space.frames[ply], space.stack[ply]
    while frame.cursor < frame.count:
        cursor = frame.cursor
        move = pick(space.moves[ply], space.scores[ply], cursor, frame.count)
        frame.cursor += 1
        if not frame.check:
            if space.scores[ply, cursor] < 0:
                return False  # captures that lose something, and lesser promotions
            if frame.static + gain(position, move) + DELTA <= frame.alpha:
                continue
        space.stack[ply + 1] = space.stack[ply]
        if make(space.stack[ply + 1], move):
            frame.searched += 1
            return True
    return False
