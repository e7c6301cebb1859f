"""The batch kernels: a template that `games.engine.compiler` turns into machine code for one game.

Shapes: B games in the batch, R rows touched by a call, P seats, A actions, O observation, C outcomes of chance. `rows`
(int64 [R]) says which games a call touches. Of the arrays of `Games` [B, ...] only those rows are written; everything
else has an entry for each of `rows`, [R, ...]. `chances` (float64 [C]) is scratch, None in a game without chance:
chance moves by itself, drawing from the random stream in each record.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from games.engine.chance import GAMMA, below, mix, pick
from games.engine.entries import entry, unowned
from games.engine.game import CHANCE, TERMINAL, Game
from games.engine.jit import njit
from games.engine.planes import copy_entries
from games.engine.row_sharing import RowShare, enter, leave, take
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


class Games(NamedTuple):
    """B games of one kind, side by side."""

    states: NDArray[Any]
    """Positions, records [B]."""
    seats: NDArray[np.int64]
    """The seat to move in each game, [B]; in a finished game the seat that moved last."""
    mask: NDArray[np.bool_]
    """Legal actions, [B, A]; all True in a finished game."""
    over: NDArray[np.bool_]
    """Whether a game has ended or never begun, [B]."""
    initial: NDArray[Any]
    """The first position, record [1]."""
    streams: NDArray[np.uint64]
    """Random streams that give each game its seed, [B]; they move on when it begins."""
    determinization_streams: NDArray[np.uint64]
    """Random streams of what is imagined, beside the games' own, [B]; restarted when a game begins."""


class Shown(NamedTuple):
    """Output of a move in each of the R games that it touches."""

    seats: NDArray[np.int64]
    """The seat to move, [R]."""
    obs: NDArray[Any]
    """What that seat sees, [R, O]."""
    mask: NDArray[np.bool_]
    """Its legal actions, [R, A]."""
    rewards: NDArray[np.float32]
    """What the action alone brought each seat, [R, P]."""
    ends: NDArray[np.bool_]
    """Whether the action ended the game, for each seat, [R, P]."""


def new_games(game: Game, count: int) -> Games:
    """Return so many games that have not begun, with random streams of 0."""
    return Games(
        states=np.repeat(game.initial.reshape(1), count),
        seats=np.zeros(count, np.int64),
        mask=np.ones((count, game.num_actions), np.bool_),
        over=np.ones(count, np.bool_),
        initial=game.initial.reshape(1),
        streams=np.zeros(count, np.uint64),
        determinization_streams=np.zeros(count, np.uint64),
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


@njit(cache=True, nogil=True)
def reset(games: Games, rows: NDArray[np.int64], chances: Any) -> None:
    """Restart the games in `rows`."""
    scratch = unowned(chances)
    states, mask, streams = games.states, games.mask, games.streams
    for row in rows:
        states[row] = games.initial[0]
        streams[row] += GAMMA
        games.determinization_streams[row] = ~streams[row]
        games.seats[row] = begin(states[row], streams[row], entry(mask, row, (NUM_ACTIONS,)), scratch)
        games.over[row] = False


@njit(cache=True, nogil=True)
def first_illegal(
    rows: NDArray[np.int64], actions: NDArray[np.int64], mask: NDArray[np.bool_], over: NDArray[np.bool_]
) -> int:
    """Return the index in `rows` of the first illegal action, -1 if all are legal: mask [B, A], over [B]."""
    for j in range(rows.shape[0]):
        row, action = np.uint64(rows[j]), np.uint64(actions[j])  # one below 0 is a very large one then
        if over[row] or action >= NUM_ACTIONS or not mask[row, action]:
            return j
    return -1


@njit(cache=True, nogil=True)
def step(
    games: Games,
    rows: NDArray[np.int64],
    actions: NDArray[np.int64],
    obs: NDArray[Any],
    rewards: NDArray[np.float32],
    chances: Any,
) -> None:
    """Play legal `actions` [R] in `rows`; write what the seats to move see, `obs` [R, O], and `rewards` [R, P]."""
    before, scratch = np.empty((1, NUM_PLAYERS), np.float32), unowned(chances)
    states, seats, mask, over = games.states, games.seats, games.mask, games.over
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
    games: Games,
    rows: NDArray[np.int64],
    actions: NDArray[np.int64],
    restart: bool,
    shown: Shown,
    chances: Any,
    share: RowShare,
) -> None:
    """Do what `step` does, restart games that end if `restart`, and copy what the seats to move see into `shown`.

    The ends are those of the games before a restart. One pass over the games, since what is copied has just been
    written and is still in the cache. Threads share the rows (`games.engine.row_sharing`).
    """
    before, scratch = np.empty((1, NUM_PLAYERS), np.float32), unowned(chances)
    states, seats, mask, over = games.states, games.seats, games.mask, games.over
    initial, streams, determinization_streams = games.initial, games.streams, games.determinization_streams
    rewards, ends = shown.rewards, shown.ends
    first, last = enter(share, rows.shape[0])
    while first < last:
        for j in range(np.uint64(first), np.uint64(last)):  # unsigned: none counts from the end
            row = np.uint64(rows[j])
            state, legal = states[row], entry(mask, row, (NUM_ACTIONS,))
            ended = play(
                state, actions[j], entry(rewards, j, (NUM_PLAYERS,)), entry(before, 0, (NUM_PLAYERS,)), scratch
            )
            for seat in range(NUM_PLAYERS):
                ends[j, seat] = ended
            if ended and restart:
                states[row] = initial[0]
                streams[row] += GAMMA
                seats[row] = begin(state, streams[row], legal, scratch)
                determinization_streams[row] = ~streams[row]
            else:
                over[row] = ended
                if not ended:
                    seats[row] = state.current_player
                choices(state, seats[row], legal)
            shown.seats[j] = seats[row]
            observe(state, seats[row], entry(shown.obs, j, OBSERVATION_SHAPE))
            copy_entries(legal, entry(shown.mask, j, (NUM_ACTIONS,)))
        first, last = take(share, rows.shape[0])
    leave(share)


@njit(cache=True, nogil=True)
def observe_movers(states: NDArray[Any], rows: NDArray[np.int64], seats: NDArray[np.int64], obs: NDArray[Any]) -> None:
    """Write the observations of the seats to move in the games in `rows`: obs [R, O]."""
    for j in range(rows.shape[0]):
        observe(states[rows[j]], seats[rows[j]], entry(obs, j, OBSERVATION_SHAPE))


@njit(cache=True, nogil=True)
def observe_all(states: NDArray[Any], rows: NDArray[np.int64], obs: NDArray[Any], mask: NDArray[np.bool_]) -> None:
    """Write observations and masks of every seat of the games in `rows`: obs [R, P, O], mask [R, P, A]."""
    for j in range(rows.shape[0]):
        for seat in range(obs.shape[1]):
            observe(states[rows[j]], seat, obs[j, seat])
            choices(states[rows[j]], seat, mask[j, seat])


@njit(cache=True, nogil=True)
def joint_masks(states: NDArray[Any], rows: NDArray[np.int64], masks: NDArray[np.bool_]) -> None:
    """Write the legal actions of every seat where all choose at once: masks [R, P, A], all True in a finished game."""
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
    """Write what `seat` sees of the first game, obs [O], and its mask [A], which is all False unless `to_move`."""
    observe(states[0], seat, obs)
    mask[:] = False
    if to_move:
        legal_actions(states[0], mask)


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
