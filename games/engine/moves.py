"""What happens in one game of a batch: a template that `games.engine.compiler` binds to the rules of one game.

All batch kernels are loops over these functions: `games.engine.kernels` over the rows of a call on the CPU,
`games.engine.device_kernels` with a thread a row on a CUDA device. Shapes as in `games.engine.batch`. `row` is the
game in the arrays of `Games`, `j` its place in those of the call. `chances` (float64 [C]) and `before` (float32 [1, P])
are scratch; `chances` is None in a game without chance. Chance moves by itself, drawing from the random stream in each
record.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.batch import Games, Shown
from games.engine.chance import GAMMA, below, mix, pick
from games.engine.entries import entry
from games.engine.game import CHANCE, TERMINAL
from games.engine.jit import njit
from games.engine.planes import copy_entries
from games.engine.rules import (
    NUM_ACTIONS,
    NUM_PLAYERS,
    OBSERVATION_SHAPE,
    apply,
    chance_outcomes,
    draw,
    draw_outcome,
    legal_actions,
    observe,
    random_action,
    reseed,
    returns,
)


@njit
def settle(state: Any, chances: Any) -> None:
    """Let chance move until it is a seat's turn or the game is over."""
    if chances is not None:  # known when compiling: a game without chance has no copy of `apply` here
        while state.current_player == CHANCE:
            apply(state, drawn_outcome(state, chances))


@njit
def drawn_outcome(state: Any, chances: NDArray[np.float64]) -> int:
    """Draw what chance does next, by the record's own random stream."""
    outcome = draw_outcome(state)
    if outcome < 0:
        chances[:] = 0
        chance_outcomes(state, chances)
        outcome = pick(chances, draw(state))
    return outcome


@njit(inline="always")
def choices(state: Any, seat: int, mask: NDArray[Any]) -> None:
    """Write what `seat` may do where it is that seat's turn; all True at the end."""
    over = state.current_player == TERMINAL
    for action in range(NUM_ACTIONS):
        mask[action] = over
    if state.current_player == seat:
        legal_actions(state, mask)


@njit(inline="always")
def begin(state: Any, stream: Any, mask: NDArray[np.bool_], chances: Any) -> int:
    """Let chance begin a game in its first position, by a number of its stream; gives the seat to move."""
    reseed(state, mix(stream))
    settle(state, chances)
    choices(state, state.current_player, mask)
    return state.current_player


@njit(inline="always")
def play(state: Any, action: int, rewards: NDArray[np.float32], before: NDArray[np.float32], chances: Any) -> bool:
    """Play an action and write its rewards [P]; `before` [P] is scratch. Returns whether the game is over."""
    for seat in range(NUM_PLAYERS):
        before[seat] = rewards[seat] = 0
    returns(state, before)
    if state.current_player != CHANCE:  # it never is here, and the compiler drops what `apply` does for chance
        apply(state, action)
    settle(state, chances)
    returns(state, rewards)
    for seat in range(NUM_PLAYERS):
        rewards[seat] -= before[seat]
    return state.current_player == TERMINAL


@njit(inline="always")
def reset_row(games: Games, row: int, chances: Any) -> None:
    """Restart a game."""
    games.states[row] = games.initial[0]
    games.streams[row] += GAMMA
    games.determinization_streams[row] = ~games.streams[row]
    games.seats[row] = begin(games.states[row], games.streams[row], entry(games.mask, row, (NUM_ACTIONS,)), chances)
    games.over[row] = False


@njit(inline="always")
def may_play(games: Games, row: int, action: int) -> bool:
    """Return whether a game is under way and an action legal in it; an action below 0 comes as a very large one."""
    return not games.over[row] and action < NUM_ACTIONS and games.mask[row, action]


@njit(inline="always")
def step_row(
    games: Games,
    row: int,
    j: int,
    action: int,
    obs: NDArray[Any],
    rewards: NDArray[np.float32],
    before: NDArray[np.float32],
    chances: Any,
) -> None:
    """Play a legal action; write what the seat to move sees, `obs` [R, O], and `rewards` [R, P]."""
    state = games.states[row]
    ended = play(state, action, entry(rewards, j, (NUM_PLAYERS,)), entry(before, 0, (NUM_PLAYERS,)), chances)
    games.over[row] = ended
    if not ended:
        games.seats[row] = state.current_player
    choices(state, games.seats[row], entry(games.mask, row, (NUM_ACTIONS,)))
    observe(state, games.seats[row], entry(obs, j, OBSERVATION_SHAPE))


@njit(inline="always")
def advance_row(
    games: Games,
    row: int,
    j: int,
    action: int,
    restart: bool,
    shown: Shown,
    before: NDArray[np.float32],
    chances: Any,
) -> None:
    """Play a legal action, restart a game that ends if `restart`, and write into `shown` who moves, rewards and ends.

    The ends are those of the game before a restart.
    """
    state, legal = games.states[row], entry(games.mask, row, (NUM_ACTIONS,))
    ended = play(state, action, entry(shown.rewards, j, (NUM_PLAYERS,)), entry(before, 0, (NUM_PLAYERS,)), chances)
    for seat in range(NUM_PLAYERS):
        shown.ends[j, seat] = ended
    if ended and restart:
        games.states[row] = games.initial[0]
        games.streams[row] += GAMMA
        games.seats[row] = begin(state, games.streams[row], legal, chances)
        games.determinization_streams[row] = ~games.streams[row]
    else:
        games.over[row] = ended
        if not ended:
            games.seats[row] = state.current_player
        choices(state, games.seats[row], legal)
    shown.seats[j] = games.seats[row]


@njit(inline="always")
def show_mask(games: Games, row: int, j: int, shown: Shown) -> None:
    """Copy the legal actions of the seat to move, which have just been written and are still in the cache."""
    copy_entries(entry(games.mask, row, (NUM_ACTIONS,)), entry(shown.mask, j, (NUM_ACTIONS,)))


@njit(inline="always")
def observe_mover(states: NDArray[Any], row: int, seat: int, j: int, obs: NDArray[Any]) -> None:
    """Write what the seat to move sees: obs [R, O]."""
    observe(states[row], seat, entry(obs, j, OBSERVATION_SHAPE))


@njit(inline="always")
def observe_seats(states: NDArray[Any], row: int, j: int, obs: NDArray[Any], mask: NDArray[np.bool_]) -> None:
    """Write the observation and mask of every seat: obs [R, P, O], mask [R, P, A]."""
    for seat in range(obs.shape[1]):
        observe(states[row], seat, obs[j, seat])
        choices(states[row], seat, mask[j, seat])


@njit(inline="always")
def joint_masks_row(states: NDArray[Any], row: int, j: int, masks: NDArray[np.bool_]) -> None:
    """Write the legal actions of every seat where all choose at once: masks [R, P, A], all True in a finished game."""
    state = states[row]
    mover = state.current_player
    for seat in range(NUM_PLAYERS):
        for action in range(NUM_ACTIONS):
            masks[j, seat, action] = mover == TERMINAL
        if mover != TERMINAL:
            state.current_player = seat
            legal_actions(state, masks[j, seat])
    state.current_player = mover


@njit(inline="always")
def choose(state: Any, mask: NDArray[np.bool_], bits: Any) -> int:
    """Return a uniformly random legal action, chosen by 64 random bits; `mask` is scratch."""
    for action in range(NUM_ACTIONS):
        mask[action] = False
    legal_actions(state, mask)
    count = 0
    for action in range(NUM_ACTIONS):
        count += mask[action]
    choice = below(bits, count)
    chosen = 0
    for action in range(NUM_ACTIONS):
        choice -= mask[action]  # no branch that depends on the mask: it would be mispredicted
        if choice < 0:
            chosen = action
            break
    return chosen


@njit(inline="always")
def play_out(state: Any, mask: NDArray[np.bool_], chances: Any, seed: int) -> int:
    """Play uniformly random legal actions until the game ends; returns how many."""
    z = np.uint64(seed)
    length = 0
    while state.current_player != TERMINAL:
        z += GAMMA
        bits = mix(z)
        action = random_action(state, bits)
        if action < 0:
            action = choose(state, mask, bits)
        apply(state, action)
        settle(state, chances)
        length += 1
    return length


@njit(inline="always")
def playout_row(
    states: NDArray[Any], row: int, initial: NDArray[Any], mask: NDArray[np.bool_], chances: Any, seed: int
) -> int:
    """Play a game from its start to its end at random; returns the number of actions. `mask` [A] is scratch."""
    state = states[row]
    states[row] = initial[0]
    reseed(state, seed + row)
    settle(state, chances)
    return play_out(state, mask, chances, seed + row)
