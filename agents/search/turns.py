"""Ends of turns: a template that `games.engine.compiler` turns into machine code for one game.

A seat that moves several times in a turn, as in backgammon, chooses among the positions in which its turn can end (the
afterstates of Sutton and Barto 2018, section 6.8), and plays the first action towards one. They are found breadth first
and only once, whatever the order of the actions that lead there.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from games.engine.chance import mix
from games.engine.game import CHANCE, TERMINAL
from games.engine.jit import njit
from games.engine.rules import (
    NUM_ACTIONS,
    NUM_OUTCOMES,
    apply,
    chance_outcomes,
    features,
    legal_actions,
    observe,
    returns,
)

HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class Ends(NamedTuple):
    """Ends of turns, M at most, those of one position after the other."""

    states: NDArray[Any]
    features: NDArray[np.float32]
    """What the seat whose turn has ended is shown, [M, F + 1]; the last says whether chance moves next."""
    payoff: NDArray[np.float32]
    """Its return where the game is over, [M]; nan elsewhere."""
    action: NDArray[np.int16]
    """The first action of the turn, [M]; -1 where the seat has none."""
    single: NDArray[np.bool_]
    """Whether that action ends the turn, [M]."""


class TurnScratch(NamedTuple):
    """The arrays that the search of one position's ends works in; Q turns under way, T a power of 2."""

    queue: NDArray[Any]
    """Positions within the turn, [Q + 1]; the last is the one being made."""
    first: NDArray[np.int16]
    """First action on the way to each, [Q]."""
    mask: NDArray[np.bool_]
    visited: NDArray[np.uint64]
    """Hashes of the positions found, [T]; 0 where there is none, and everywhere between two turns."""
    used: NDArray[np.uint64]
    """Their places in `visited`, [T / 2]."""
    obs: NDArray[Any]
    """What a seat is shown, [1, *O]."""
    words: NDArray[np.uint64]
    """The same memory as words, to hash."""
    payoff: NDArray[np.float32]
    chances: NDArray[np.float64]
    """Probabilities of chance, [C]."""


@njit(cache=True, nogil=True)
def find_ends(
    states: NDArray[Any], seats: NDArray[np.int8], ends: Ends, starts: NDArray[np.int64], scratch: TurnScratch
) -> bool:
    """Write the ends of the turns of `states` [n], those of position i from `starts[i]` up to `starts[i + 1]`.

    Where `seats[i]` is not to move, because chance or the other seat is, the position itself is the end; a game that is
    over has one, too. Returns False if `ends` or `scratch` are too small; call it again with larger ones.
    """
    count = 0
    starts[0] = 0
    for i in range(states.shape[0]):
        if states[i].current_player != seats[i]:
            if count == ends.action.shape[0]:
                return False
            ends.states[count] = states[i]
            ends.action[count], ends.single[count] = -1, True
            describe(ends, count, seats[i], scratch)
            count += 1
        else:
            count = end_turn(states[i], ends, count, scratch)
            if count < 0:
                return False
        starts[i + 1] = count
    return True


@njit
def end_turn(root: Any, ends: Ends, count: int, scratch: TurnScratch) -> int:
    """Add the ends of one turn from `count` on; return their new number, -1 if there is no room."""
    queue, first, mask, room = scratch.queue, scratch.first, scratch.mask, scratch.first.shape[0]
    seat = root.current_player
    queue[0] = root
    count_new, head, tail = 0, 0, 1
    while head < tail:
        mask[:] = False
        legal_actions(queue[head], mask)
        for action in range(NUM_ACTIONS):
            if not mask[action]:
                continue
            queue[room] = queue[head]
            after: Any = queue[room]
            apply(after, action)
            if not is_new(after, seat, scratch, count_new):
                continue
            count_new += 1
            if count_new == scratch.used.shape[0] or tail == room or count == ends.action.shape[0]:
                return -1
            chosen = first[head] if head > 0 else action
            if after.current_player == seat:
                queue[tail] = after
                first[tail] = chosen
                tail += 1
            else:
                ends.states[count] = after
                ends.action[count], ends.single[count] = chosen, head == 0
                describe(ends, count, seat, scratch)
                count += 1
        head += 1
    for i in range(count_new):
        scratch.visited[scratch.used[i]] = 0
    return count


@njit
def is_new(state: Any, seat: int, scratch: TurnScratch, known: int) -> bool:
    """Return whether a position looks unlike the `known` ones before in this turn, and remember it."""
    observe(state, seat, scratch.obs[0])
    code = np.uint64(state.current_player + 8)
    for word in scratch.words:
        code = (code ^ word) * HASH_FACTOR
        code ^= code >> np.uint64(29)
    code = mix(code) | np.uint64(1)
    last = np.uint64(scratch.visited.shape[0] - 1)
    place = (code >> np.uint64(1)) & last
    while scratch.visited[place] != 0:
        if scratch.visited[place] == code:
            return False
        place = (place + np.uint64(1)) & last
    scratch.visited[place], scratch.used[known] = code, place
    return True


@njit
def describe(ends: Ends, place: int, seat: int, scratch: TurnScratch) -> None:
    """Write what is shown to `seat` of the position at `place`, or its payoff."""
    state, row = ends.states[place], ends.features[place]
    row[row.shape[0] - 1] = state.current_player == CHANCE
    if state.current_player == TERMINAL:
        row[:] = 0
        scratch.payoff[:] = 0
        returns(state, scratch.payoff)
        ends.payoff[place] = scratch.payoff[seat]
        return
    ends.payoff[place] = np.nan
    if not features(state, seat, row):
        observe(state, seat, scratch.obs[0])
        for entry, value in enumerate(scratch.obs.flat):
            row[entry] = value


@njit(cache=True, nogil=True)
def spread_chance(
    states: NDArray[Any], rolled: NDArray[Any], probabilities: NDArray[np.float64], scratch: TurnScratch
) -> None:
    """Write all outcomes of chance in `states` [n]: positions and `probabilities` [n, C], 0 where one cannot be.

    Where chance does not move, the first outcome is the position itself.
    """
    for i in range(states.shape[0]):
        probabilities[i] = 0
        if NUM_OUTCOMES == 0 or states[i].current_player != CHANCE:
            rolled[i, 0] = states[i]
            probabilities[i, 0] = 1
            continue
        scratch.chances[:] = 0
        chance_outcomes(states[i], scratch.chances)
        for outcome in range(NUM_OUTCOMES):
            probabilities[i, outcome] = scratch.chances[outcome]
            if scratch.chances[outcome] > 0:
                rolled[i, outcome] = states[i]
                apply(rolled[i, outcome], outcome)
