"""Moves that searches of go try: playouts that answer the last move, and what a move looks like at first sight.

After MoGo (Gelly et al. 2006, as `games.go.patterns`), with the order and chances of Baudis's michi (2015): first what
is in atari around the last move, then a shape beside it, else any point; never into an eye of one's own, and stones
that could be taken at once are mostly not given.
"""

from typing import Any

import numpy as np

from games.engine.chance import GAMMA, below, mix
from games.engine.jit import njit
from games.go.patterns import EYE, FLAGS, SHAPE, SURROUNDINGS
from games.go.rules import EMPTY, TAKES, chain_beside, repeats
from games.go.tables import NEIGHBOURS

ATARI_SHARE = 0.9
"""How often a playout looks for stones in atari around the last move."""
SHAPE_SHARE = 0.95
"""How often it looks for a shape beside it."""
GIVEN_SHARE = 0.5
"""How often it gives stones away that it has come upon."""
DRAWS = 12
"""Random points tried before all are tried in turn."""
SAFE = 2
"""Liberties that a chain needs so as not to be taken at once."""


@njit
def playout_action(state: Any, bits: Any) -> int:
    """Return the move of a playout: an answer to the last move, or a random one that does not fill an eye."""
    last = state.last_action
    points = state.flags.shape[0]
    bits = mix(bits + GAMMA)
    if 0 <= last < points:
        if uniform(bits, 0) < ATARI_SHARE:
            action = answer_atari(state, last)
            if action >= 0:
                return action
        if uniform(bits, 1) < SHAPE_SHARE:
            action = shape_beside(state, last, bits)
            if action >= 0:
                return action
    return any_point(state, bits)


@njit
def uniform(bits: Any, word: int) -> float:
    """Return a number from 0 to 1 (excluded) made of 16 of the bits."""
    return np.float64(bits >> np.uint64(16 * word) & np.uint64(65535)) / 65536


@njit
def answer_atari(state: Any, last: int) -> int:
    """Take the last move's chain if it is in atari, else save a chain beside it that is; -1 if there is neither."""
    seat = state.current_player
    chain = state.chain[last]
    if state.liberties[chain] == 1 and playable(state, seat, state.spot[chain]):
        return state.spot[chain]
    for side in range(4):
        root = chain_beside(state, last, side)
        if state.past[root] & 3 == 1 + seat and state.liberties[root] == 1:
            action = rescue(state, seat, root)
            if action >= 0:
                return action
    return -1


@njit
def rescue(state: Any, seat: int, root: int) -> int:
    """Return a move that takes stones beside a chain in atari, or one that extends it; -1 if none helps."""
    stone = root
    while True:
        for side in range(4):
            other = state.chain[NEIGHBOURS[state.size, stone, side]]
            in_atari = state.past[other] & 3 == 2 - seat and state.liberties[other] == 1
            if in_atari and playable(state, seat, state.spot[other]):
                return state.spot[other]
        stone = state.next[stone]
        if stone == root:
            break
    spot = state.spot[root]
    return spot if liberties_after(state, seat, spot) >= SAFE and playable(state, seat, spot) else -1


@njit
def shape_beside(state: Any, last: int, bits: Any) -> int:
    """Return a random one of the points around the last move that make a shape and give nothing away; -1 if none."""
    seat = state.current_player
    chosen, count = -1, 0
    for place in range(8):
        point = SURROUNDINGS[state.size, last, place]
        if point == state.flags.shape[0] or state.past[point] & 3 != EMPTY:
            continue
        shape = FLAGS[code(state, point)] & SHAPE and playable(state, seat, point)
        if shape and liberties_after(state, seat, point) >= SAFE:
            count += 1
            bits = mix(bits + GAMMA)
            if below(bits, count) == 0:
                chosen = point
    return chosen


@njit
def any_point(state: Any, bits: Any) -> int:
    """Return a random point to play, or pass where all that is left are eyes."""
    seat, points = state.current_player, state.flags.shape[0]
    for _ in range(DRAWS):
        bits = mix(bits + GAMMA)
        point = below(bits, points)
        fits = playable(state, seat, point) and not eye(state, seat, point)
        if fits and (uniform(bits, 0) < GIVEN_SHARE or liberties_after(state, seat, point) >= SAFE):
            return point
    start = below(mix(bits + GAMMA), points)
    for step in range(points):
        point = start + step
        point -= points * (point >= points)
        if playable(state, seat, point) and not eye(state, seat, point):
            return point
    return points


@njit
def playable(state: Any, seat: int, point: int) -> bool:
    """Return whether `seat` may play on a point."""
    if not state.flags[point] >> seat & 1 or point == state.ko:
        return False
    risky = state.superko and state.fresh_move[seat] < state.lost_move[seat]
    return not (risky and repeats(state, seat, point))


@njit
def eye(state: Any, seat: int, point: int) -> bool:
    """Return whether an empty point is an eye of `seat`."""
    return bool(FLAGS[code(state, point)] & EYE << seat)


@njit
def code(state: Any, point: int) -> Any:
    """Return what stands on the eight points around, two bits each."""
    total = np.int64(0)
    for place in range(8):
        total |= np.int64(state.past[SURROUNDINGS[state.size, point, place]] & 3) << 2 * place
    return total


@njit
def liberties_after(state: Any, seat: int, point: int) -> int:
    """Return at least how many liberties a stone of `seat` would have here, counting up to about two.

    Liberties that two of its chains share count twice, and stones taken count as one each.
    """
    total = 0
    for side in range(4):
        neighbour = NEIGHBOURS[state.size, point, side]
        stone = state.past[neighbour] & 3
        if stone == EMPTY:
            total += 1
        root = chain_beside(state, point, side)
        if root != state.flags.shape[0]:
            if stone == 1 + seat:
                total += state.liberties[root] - 1
            elif state.liberties[root] == 1:
                total += 1 + (state.next[root] != root)
    return total


EVEN = 10.0
"""Simulations that a shape is worth; other worths are after michi's."""
TAKEN = 15.0
SEVERAL_TAKEN = 30.0
SAVED = 15.0
NEAR = np.array([0.0, 0.0, 24.0, 22.0, 8.0])
"""[distance from the last move]; the distance is that of rows, that of columns, and the larger one once more."""
LOW = 10.0
"""Lost simulations of a move on the first line, won ones on the third, where the board is empty around."""


@njit
def prior(state: Any, action: int) -> float:
    """Return how a move looks: fights near the last move do well, moves into eyes and passes badly."""
    seat, points = state.current_player, state.flags.shape[0]
    if action == points:
        return -EVEN
    if eye(state, seat, action):
        return -2 * EVEN
    value = 0.0
    if state.flags[action] >> (TAKES + seat) & 1:
        value += taken(state, seat, action)
    elif liberties_after(state, seat, action) < SAFE:
        return -EVEN
    value += saved(state, seat, action)
    around = code(state, action)
    if FLAGS[around] & SHAPE:
        value += EVEN
    value += nearness(state, action)
    if value == 0.0:
        value = by_line(state, action)
    return value


@njit
def taken(state: Any, seat: int, point: int) -> float:
    """Return the worth of the stones that a move takes."""
    value = 0.0
    for side in range(4):
        root = chain_beside(state, point, side)
        if state.past[root] & 3 == 2 - seat and state.liberties[root] == 1:
            value = max(value, TAKEN if state.next[root] == root else SEVERAL_TAKEN)
    return value


@njit
def saved(state: Any, seat: int, point: int) -> float:
    """Return the worth of a move that extends a chain in atari."""
    for side in range(4):
        root = chain_beside(state, point, side)
        if state.past[root] & 3 == 1 + seat and state.liberties[root] == 1:
            return SAVED
    return 0.0


@njit
def nearness(state: Any, point: int) -> float:
    """Return the worth of being near the last move."""
    last, size = state.last_action, np.int64(state.size)
    if not 0 <= last < state.flags.shape[0]:
        return 0.0
    rows = abs(point // size - last // size)
    columns = abs(point % size - last % size)
    distance = rows + columns + max(rows, columns)
    return NEAR[distance] if distance < NEAR.shape[0] else 0.0


@njit
def by_line(state: Any, point: int) -> float:
    """Return the worth of a line where nothing stands around a point."""
    size = np.int64(state.size)
    row, column = point // size, point % size
    line = min(min(row, size - 1 - row), min(column, size - 1 - column))
    for place in range(8):
        if state.past[SURROUNDINGS[state.size, point, place]] & 3 in (1, 2):
            return 0.0
    return -LOW if line < 2 else LOW * (line == 2)
