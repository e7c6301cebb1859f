"""The batch kernels: a template that `games.engine.compiler` turns into machine code for one game.

Shapes: B games in the batch, R rows touched by a call, P seats, A actions, O observation, C outcomes of chance. `rows`
(int64 [R]) says which games a call touches. What is known of all games (`states`, `seats`, `mask`, `over`) are arrays
[B, ...] of which only those rows are written; everything else has an entry for each of `rows`, [R, ...]. The mask of a
finished game is all True, its `seats` entry the seat that moved last. `chances` (float64 [C]) is scratch, None in a
game without chance: chance moves by itself, drawing from the random stream in each record.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from games.engine.chance import GAMMA, below, mix, pick
from games.engine.entries import entry, unowned
from games.engine.game import CHANCE, TERMINAL
from games.engine.planes import copy_entries
from games.engine.row_sharing import enter, leave, take
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
    """Play an action; `rewards` [P] are what it brought, `before` [P] is scratch. Tells whether it was the last one."""
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


@njit(cache=True, nogil=True)
def reset(
    states: NDArray[Any],
    initial: NDArray[Any],
    streams: NDArray[np.uint64],
    rows: NDArray[np.int64],
    seats: NDArray[np.int64],
    mask: NDArray[np.bool_],
    chances: Any,
) -> None:
    """Start the games in `rows` anew: states [B], initial [1], seats [B] (who moves), mask [B, A].

    `streams` [B] gives each game its seed, and moves on.
    """
    scratch = unowned(chances)
    for row in rows:
        states[row] = initial[0]
        streams[row] += GAMMA
        seats[row] = begin(states[row], streams[row], entry(mask, row, (NUM_ACTIONS,)), scratch)


@njit(cache=True, nogil=True)
def first_illegal(
    rows: NDArray[np.int64], actions: NDArray[np.int64], mask: NDArray[np.bool_], over: NDArray[np.bool_]
) -> int:
    """Position in `rows` of the first action that may not be played, -1 if all may."""
    for j in range(rows.shape[0]):
        row, action = np.uint64(rows[j]), np.uint64(actions[j])  # one below 0 is a very large one then
        if over[row] or action >= NUM_ACTIONS or not mask[row, action]:
            return j
    return -1


@njit(cache=True, nogil=True)
def step(
    states: NDArray[Any],
    rows: NDArray[np.int64],
    actions: NDArray[np.int64],
    seats: NDArray[np.int64],
    mask: NDArray[np.bool_],
    over: NDArray[np.bool_],
    obs: NDArray[Any],
    rewards: NDArray[np.float32],
    chances: Any,
) -> None:
    """Play legal `actions` [R] in `rows`; rewards [R, P] are what these actions alone brought, over [B] the ends."""
    before, scratch = np.empty((1, NUM_PLAYERS), np.float32), unowned(chances)
    for j in range(rows.shape[0]):
        row = rows[j]
        state = states[row]
        over[row] = play(
            state, actions[j], entry(rewards, j, (NUM_PLAYERS,)), entry(before, 0, (NUM_PLAYERS,)), scratch
        )
        if not over[row]:
            seats[row] = state.current_player
        choices(state, seats[row], entry(mask, row, (NUM_ACTIONS,)))
        observe(state, seats[row], entry(obs, j, OBSERVATION_SHAPE))


@njit(cache=True, nogil=True)
def advance(
    states: NDArray[Any],
    rows: NDArray[np.int64],
    actions: NDArray[np.int64],
    seats: NDArray[np.int64],
    mask: NDArray[np.bool_],
    over: NDArray[np.bool_],
    initial: NDArray[Any],
    streams: NDArray[np.uint64],
    guesses: NDArray[np.uint64],
    anew: bool,
    shown_seats: NDArray[np.int64],
    shown_obs: NDArray[Any],
    shown_mask: NDArray[np.bool_],
    rewards: NDArray[np.float32],
    ends: NDArray[np.bool_],
    chances: Any,
    gate: NDArray[np.int64],
    thread: int,
    call: int,
) -> None:
    """`step`, games that end beginning `anew` if so wished, with copies of what is to be seen: [R], [R, O], [R, A].

    `ends` [R, P] are those of the games that have been played. Of a game that begins anew, `guesses` [B] begin as well.
    All in one pass over the games: what is copied has just been written. Threads that come with the same `call` share
    the rows (`games.engine.row_sharing`).
    """
    before, scratch = np.empty((1, NUM_PLAYERS), np.float32), unowned(chances)
    first, last = enter(gate, thread, call, rows.shape[0])
    while first < last:
        for j in range(np.uint64(first), np.uint64(last)):  # unsigned: none counts from the end
            row = np.uint64(rows[j])
            state, shown = states[row], entry(mask, row, (NUM_ACTIONS,))
            ended = play(
                state, actions[j], entry(rewards, j, (NUM_PLAYERS,)), entry(before, 0, (NUM_PLAYERS,)), scratch
            )
            for seat in range(NUM_PLAYERS):
                ends[j, seat] = ended
            if ended and anew:
                states[row] = initial[0]
                streams[row] += GAMMA
                seats[row] = begin(state, streams[row], shown, scratch)
                guesses[row] = ~streams[row]
            else:
                over[row] = ended
                if not ended:
                    seats[row] = state.current_player
                choices(state, seats[row], shown)
            shown_seats[j] = seats[row]
            observe(state, seats[row], entry(shown_obs, j, OBSERVATION_SHAPE))
            copy_entries(shown, entry(shown_mask, j, (NUM_ACTIONS,)))
        first, last = take(gate, thread, rows.shape[0])
    leave(gate, thread, call)


@njit(cache=True, nogil=True)
def observe_movers(states: NDArray[Any], rows: NDArray[np.int64], seats: NDArray[np.int64], obs: NDArray[Any]) -> None:
    """What the seats to move see of the games in `rows`: obs [R, O]."""
    for j in range(rows.shape[0]):
        observe(states[rows[j]], seats[rows[j]], entry(obs, j, OBSERVATION_SHAPE))


@njit(cache=True, nogil=True)
def observe_all(states: NDArray[Any], rows: NDArray[np.int64], obs: NDArray[Any], mask: NDArray[np.bool_]) -> None:
    """What every seat of the games in `rows` sees: obs [R, P, O], mask [R, P, A]."""
    for j in range(rows.shape[0]):
        for seat in range(obs.shape[1]):
            observe(states[rows[j]], seat, obs[j, seat])
            choices(states[rows[j]], seat, mask[j, seat])


@njit(cache=True, nogil=True)
def joint_masks(states: NDArray[Any], rows: NDArray[np.int64], masks: NDArray[np.bool_]) -> None:
    """What every seat may choose where all choose at once: masks [R, P, A], all True in a finished game."""
    for j in range(rows.shape[0]):
        if states[rows[j]].current_player == TERMINAL:
            masks[j] = True
            continue
        copy = states[rows[j] : rows[j] + 1].copy()
        for seat in range(masks.shape[1]):
            masks[j, seat] = False
            copy[0].current_player = seat
            legal_actions(copy[0], masks[j, seat])


@njit(cache=True, nogil=True)
def observe_one(states: NDArray[Any], seat: int, to_move: bool, obs: NDArray[Any], mask: NDArray[np.bool_]) -> None:
    """What `seat` sees of the first game: obs [O], and mask [A], whose moves stay open when the game has ended."""
    observe(states[0], seat, obs)
    mask[:] = False
    if to_move:
        legal_actions(states[0], mask)


@njit(inline="always")
def choose(state: Any, mask: NDArray[np.bool_], bits: Any) -> int:
    """Give a legal action by 64 random bits, each as likely as the others; `mask` is scratch."""
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


@njit(cache=True, nogil=True)
def playout(state: Any, mask: NDArray[np.bool_], chances: Any, seed: int) -> int:
    """Play uniformly random legal actions in place until the game ends; returns how many.

    `mask` (bool [A]) is scratch; `seed` starts a stream of its own, beside the record's.
    """
    return play_out(state, unowned(mask), unowned(chances), seed)


@njit(cache=True, nogil=True)
def playouts(states: NDArray[Any], initial: NDArray[Any], mask: NDArray[np.bool_], chances: Any, seed: int) -> int:
    """Play every game of `states` [B] from its start to its end at random; returns the number of actions."""
    actions, legal, scratch = 0, unowned(mask), unowned(chances)
    for i in range(states.shape[0]):
        states[i] = initial[0]
        reseed(states[i], seed + i)
        settle(states[i], scratch)
        actions += play_out(states[i], legal, scratch, seed + i)
    return actions
