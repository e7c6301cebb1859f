"""Principal variation search: alpha-beta with iterative deepening, and what it leaves out.

Null moves (Donninger 1993), late-move reductions (Heinz 2000), futility (Heinz 1998) in both directions, and a table of
positions that were searched before. A stack of frames replaces recursion, which numba does not cache.
"""

import math

import numpy as np
from numpy.typing import NDArray

from agents.search.chess.evaluate import evaluate
from agents.search.chess.exchange import exchange_wins
from agents.search.chess.generate import list_moves
from agents.search.chess.order import KILLER, is_quiet, pick, reward, score_moves
from agents.search.chess.position import NO_MOVE, cannot_mate, has_officers, is_check, make, make_none
from agents.search.chess.quiescence import INFINITE, MATE, MATED, quiesce, value_from_table
from agents.search.chess.space import (
    AGE,
    EARLIER,
    FULL,
    MOVES,
    NULL_FIRST,
    NULL_SEARCHED,
    PLIES,
    REDUCED,
    SCOUT,
    STOPPED,
    Space,
)
from agents.search.deadline import passed
from agents.search.transpositions import AT_LEAST, AT_MOST, EXACT, entry_of, settles
from games.engine.jit import njit

STOP_CHECK_MASK = 1023
"""Positions between two looks at the clock, less one; a power of two less one."""
DRAWN_AFTER = 100
"""Moves of both players without a capture or a pawn's move."""
WINDOW = 25
"""Centipawns around the last value in which the next one is looked for at first."""
REDUCTIONS = np.array(
    [[int(0.8 + math.log(max(d, 1)) * math.log(max(n, 1)) / 2.2) for n in range(64)] for d in range(64)]
)
"""[depth, number of the move]: plies by which a late quiet move is searched less."""
NEXT, AGAIN, SETTLED = range(3)


@njit(inline="always")
def prepare(space: Space, ply: int, alpha: int, beta: int, depth: int, may_pass: bool) -> None:
    """Set the window and the depth with which a node is entered."""
    frame = space.frames[ply]
    frame.alpha = frame.first_alpha = alpha
    frame.beta, frame.depth, frame.may_pass = beta, depth, may_pass


@njit
def search(space: Space, alpha: int, beta: int, depth: int, deadline: NDArray[np.float64]) -> int:
    """Return the value of `space.stack[0]`, exact between `alpha` and `beta`; of no use once the search is stopped."""
    ply, entering, value, looks = 0, True, 0, 0
    prepare(space, 0, alpha, beta, depth, False)
    while True:
        if entering:
            settled, value = enter(space, ply)
            step = SETTLED if settled else NEXT
        else:
            step, value = take_back(space, ply, value)
        looks += 1
        if looks & STOP_CHECK_MASK == 0 and passed(deadline):
            space.counters[STOPPED] = 1
            return 0
        if step == AGAIN or (step == NEXT and advance(space, ply)):
            ply += 1
            entering = True
            continue
        if step == NEXT:
            value = complete(space, ply)
        if ply == 0:
            return value
        ply -= 1
        value = -value
        entering = False


@njit
def enter(space: Space, ply: int) -> tuple[bool, int]:
    """Enter a node: return whether its value is known at once, and that value; otherwise list its moves."""
    frame, position = space.frames[ply], space.stack[ply]
    if ply > 0:
        if is_draw(space, ply):
            return True, 0
        frame.alpha, frame.beta = max(frame.alpha, -MATE + ply), min(frame.beta, MATE - ply - 1)
        if frame.alpha >= frame.beta:
            return True, frame.alpha
    frame.check = is_check(position, np.int64(position.turn))
    frame.depth += frame.check
    if frame.depth <= 0 or ply >= PLIES // 2:
        return True, quiesce(space, ply, frame.alpha, frame.beta)
    entry, hint = entry_of(space.table, position.key), NO_MOVE
    if entry.key == position.key:
        hint = entry.move
        known = value_from_table(entry.value, ply)
        narrow = ply > 0 and frame.beta - frame.alpha == 1
        if narrow and entry.depth >= frame.depth and settles(entry.bound, known, frame.alpha, frame.beta):
            return True, known
    elif frame.depth >= 5:
        frame.depth -= 1  # without a move to begin with, a shallower search finds one first
    frame.static = -INFINITE if frame.check else evaluate(position, space.weights[0])
    frame.phase = MOVES
    if ply > 0 and not frame.check and frame.beta - frame.alpha == 1:
        settled, value = prune(space, ply)
        if settled:
            return True, value
    frame.count = list_moves(position, True, True, space.moves[ply])
    score_moves(space, ply, frame.count, hint)
    frame.move, frame.best = NO_MOVE, -INFINITE
    frame.cursor = frame.searched = 0
    return False, 0


@njit(inline="always")
def is_draw(space: Space, ply: int) -> bool:
    """Return whether a position is drawn, or has been there before."""
    position = space.stack[ply]
    if position.clock >= DRAWN_AFTER or cannot_mate(position):
        return True
    place = EARLIER + ply
    for before in range(place - 4, max(place - position.clock, 0) - 1, -2):
        if space.keys[before] == position.key:
            return True
    return False


@njit(inline="always")
def prune(space: Space, ply: int) -> tuple[bool, int]:
    """Return whether a node's static value settles it, and its value; or note whether a null move comes first."""
    frame, position = space.frames[ply], space.stack[ply]
    static, depth = frame.static, frame.depth
    if depth <= 6 and static - 75 * depth >= frame.beta and abs(frame.beta) < MATED:
        return True, static
    if depth <= 2 and static + 220 * depth <= frame.alpha:
        value = quiesce(space, ply, frame.alpha, frame.beta)
        if value <= frame.alpha:
            return True, value
        prepare(space, ply, frame.beta - 1, frame.beta, depth, frame.may_pass)
        frame.static, frame.check = static, False
    if frame.may_pass and depth >= 3 and static >= frame.beta and has_officers(position, np.int64(position.turn)):
        frame.phase = NULL_FIRST
    return False, 0


@njit
def advance(space: Space, ply: int) -> bool:
    """Make the next move of a node in the position after it, and prepare that; False if there is no move left."""
    frame, position, after = space.frames[ply], space.stack[ply], space.stack[ply + 1]
    if frame.phase == NULL_FIRST:
        frame.phase = NULL_SEARCHED
        space.stack[ply + 1] = space.stack[ply]
        make_none(after)
        space.keys[EARLIER + ply + 1] = after.key
        less = 4 + frame.depth // 4 + min((frame.static - frame.beta) // 200, 3)
        prepare(space, ply + 1, -frame.beta, -frame.beta + 1, frame.depth - less, False)
        return True
    while frame.cursor < frame.count:
        move = pick(space.moves[ply], space.scores[ply], frame.cursor, frame.count)
        score = space.scores[ply, frame.cursor]
        frame.cursor += 1
        quiet = is_quiet(position, move)
        if ply > 0 and frame.best > -MATED and not frame.check and is_futile(space, ply, move, quiet):
            continue
        space.stack[ply + 1] = space.stack[ply]
        if not make(after, move):
            continue
        frame.searched += 1
        frame.current, frame.quiet = move, quiet
        space.keys[EARLIER + ply + 1] = after.key
        less = reduction(space, ply, score) if quiet else 0
        frame.mode = FULL if frame.searched == 1 else REDUCED if less > 0 else SCOUT
        low = -frame.beta if frame.mode == FULL else -frame.alpha - 1
        prepare(space, ply + 1, low, -frame.alpha, frame.depth - 1 - less, True)
        return True
    return False


@njit(inline="always")
def is_futile(space: Space, ply: int, move: int, quiet: bool) -> bool:
    """Return whether a move is not worth a search near the horizon: late, far below alpha, or losing material."""
    frame, depth = space.frames[ply], space.frames[ply].depth
    if quiet:
        if depth <= 4 and frame.searched > 4 + depth * depth:
            return True
        return depth <= 6 and frame.static + 110 + 90 * depth <= frame.alpha
    return depth <= 4 and not exchange_wins(space.stack[ply], move, -120 * depth)


@njit(inline="always")
def reduction(space: Space, ply: int, score: int) -> int:
    """Return by how many plies the current quiet move is searched less, 0 to the depth less one."""
    frame = space.frames[ply]
    if frame.depth < 3 or frame.searched < 3 or frame.check:
        return 0
    less = REDUCTIONS[min(frame.depth, 63), min(frame.searched, 63)]
    less -= (frame.beta - frame.alpha > 1) + (score >= KILLER)
    if score < KILLER:
        less -= score // 6000
    if is_check(space.stack[ply + 1], np.int64(space.stack[ply + 1].turn)):
        less -= 1
    return max(min(less, frame.depth - 2), 0)


@njit
def take_back(space: Space, ply: int, value: int) -> tuple[int, int]:
    """Use the value of the current move; return what follows, NEXT, AGAIN or SETTLED, and then the node's value."""
    frame = space.frames[ply]
    if frame.phase == NULL_SEARCHED:
        frame.phase = MOVES
        return (SETTLED, min(value, MATED)) if value >= frame.beta else (NEXT, 0)
    if frame.mode == REDUCED and value > frame.alpha:
        frame.mode = SCOUT
        prepare(space, ply + 1, -frame.alpha - 1, -frame.alpha, frame.depth - 1, True)
        return AGAIN, 0
    if frame.mode == SCOUT and frame.alpha < value < frame.beta:
        frame.mode = FULL
        prepare(space, ply + 1, -frame.beta, -frame.alpha, frame.depth - 1, True)
        return AGAIN, 0
    if value > frame.best:
        frame.best = value
        if value > frame.alpha:
            frame.alpha, frame.move = value, frame.current
            if value >= frame.beta:
                if frame.quiet:
                    reward(space, ply, frame.depth)
                store(space, ply)
                return SETTLED, value
    return NEXT, 0


@njit
def complete(space: Space, ply: int) -> int:
    """Return the value of a node whose moves have all been searched."""
    frame = space.frames[ply]
    if frame.searched == 0:
        return -MATE + ply if frame.check else 0
    store(space, ply)
    return frame.best


@njit(inline="always")
def store(space: Space, ply: int) -> None:
    """Keep a node in the table, in place of a shallower one, one of an older search, or one with less to say."""
    frame, position = space.frames[ply], space.stack[ply]
    entry = entry_of(space.table, position.key)
    bound = AT_LEAST if frame.best >= frame.beta else EXACT if frame.best > frame.first_alpha else AT_MOST
    age = space.counters[AGE] & 255
    if entry.key == position.key or entry.age != age or frame.depth + 2 >= entry.depth or bound == EXACT:
        if frame.move != NO_MOVE or entry.key != position.key:
            entry.move = frame.move
        entry.key = position.key
        entry.value = frame.best + (ply if frame.best > MATED else -ply if frame.best < -MATED else 0)
        entry.depth, entry.bound, entry.age = frame.depth, bound, age


@njit
def deepen(space: Space, depth: int, deadline: NDArray[np.float64], results: NDArray[np.int64]) -> None:
    """Search `space.stack[0]` one ply deep, two, ... `depth`, until `deadline` [1].

    Writes value and depth of the last complete search, and the best move so far, into `results` [3].
    """
    space.counters[STOPPED] = 0
    space.counters[AGE] += 1
    space.killers[:] = 0
    space.history[:] = space.history // 4
    value = 0
    for limit in range(1, depth + 1):
        width = WINDOW if limit >= 5 else INFINITE
        low, high = max(value - width, -INFINITE), min(value + width, INFINITE)
        while True:
            score = search(space, low, high, limit, deadline)
            if space.counters[STOPPED]:
                if limit > 1 and space.frames[0].move != NO_MOVE:
                    results[2] = space.frames[0].move
                return
            if low < score < high:
                break
            width *= 3
            low = max(score - width, -INFINITE) if score <= low else low
            high = min(score + width, INFINITE) if score >= high else high
        value = score
        results[0], results[1], results[2] = value, limit, space.frames[0].move
        if abs(value) > MATED and MATE - abs(value) <= limit:
            return
