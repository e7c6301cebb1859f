"""The batch kernels on a CUDA device: a template that `games.engine.compiler` binds to the rules of one game.

They are the functions of `games.engine.moves`, a thread a row, as `games.engine.kernels` is loops over them. Shapes as
there; scratch is each thread's own. Importing this needs numba-cuda, so only `games.engine.device` does.
"""

from typing import Any

import numpy as np
from numba import cuda
from numpy.typing import NDArray

from games.engine.batch import Games, Shown
from games.engine.moves import (
    advance_row,
    joint_masks_row,
    may_play,
    observe_mover,
    observe_seats,
    playout_row,
    reset_row,
    step_row,
)
from games.engine.rules import NUM_ACTIONS, NUM_OUTCOMES, NUM_PLAYERS


@cuda.jit
def reset(games: Games, rows: NDArray[np.int64]) -> None:
    """Restart the games in `rows`."""
    j = cuda.grid(1)
    if j < rows.shape[0]:
        chances = cuda.local.array(NUM_OUTCOMES, np.float64) if NUM_OUTCOMES else None
        reset_row(games, np.uint64(rows[j]), chances)


@cuda.jit
def first_illegal(games: Games, rows: NDArray[np.int64], actions: NDArray[np.int64], first: NDArray[np.int64]) -> None:
    """Lower `first` [1] to the index in `rows` of the first action that may not be played."""
    j = cuda.grid(1)
    if j < rows.shape[0] and not may_play(games, np.uint64(rows[j]), np.uint64(actions[j])):
        cuda.atomic.min(first, 0, j)


@cuda.jit
def step(
    games: Games, rows: NDArray[np.int64], actions: NDArray[np.int64], obs: NDArray[Any], rewards: NDArray[np.float32]
) -> None:
    """Play legal `actions` [R] in `rows`; write what the seats to move see, `obs` [R, O], and `rewards` [R, P]."""
    j = cuda.grid(1)
    if j < rows.shape[0]:
        before = cuda.local.array((1, NUM_PLAYERS), np.float32)
        chances = cuda.local.array(NUM_OUTCOMES, np.float64) if NUM_OUTCOMES else None
        step_row(games, np.uint64(rows[j]), np.uint64(j), actions[j], obs, rewards, before, chances)


@cuda.jit
def advance(games: Games, rows: NDArray[np.int64], actions: NDArray[np.int64], restart: bool, shown: Shown) -> None:
    """Do what `step` does, restart games that end if `restart`, and copy what the seats to move see into `shown`."""
    j = cuda.grid(1)
    if j < rows.shape[0]:
        before = cuda.local.array((1, NUM_PLAYERS), np.float32)
        chances = cuda.local.array(NUM_OUTCOMES, np.float64) if NUM_OUTCOMES else None
        advance_row(games, np.uint64(rows[j]), np.uint64(j), actions[j], restart, shown, before, chances)


@cuda.jit
def observe_movers(states: NDArray[Any], rows: NDArray[np.int64], seats: NDArray[np.int64], obs: NDArray[Any]) -> None:
    """Write the observations of the seats to move in the games in `rows`: obs [R, O]."""
    j = cuda.grid(1)
    if j < rows.shape[0]:
        observe_mover(states, np.uint64(rows[j]), seats[rows[j]], np.uint64(j), obs)


@cuda.jit
def observe_all(states: NDArray[Any], rows: NDArray[np.int64], obs: NDArray[Any], mask: NDArray[np.bool_]) -> None:
    """Write observations and masks of every seat of the games in `rows`: obs [R, P, O], mask [R, P, A]."""
    j = cuda.grid(1)
    if j < rows.shape[0]:
        observe_seats(states, np.uint64(rows[j]), np.uint64(j), obs, mask)


@cuda.jit
def joint_masks(states: NDArray[Any], rows: NDArray[np.int64], masks: NDArray[np.bool_]) -> None:
    """Write the legal actions of every seat where all choose at once: masks [R, P, A], all True in a finished game."""
    j = cuda.grid(1)
    if j < rows.shape[0]:
        joint_masks_row(states, np.uint64(rows[j]), np.uint64(j), masks)


@cuda.jit
def playouts(states: NDArray[Any], initial: NDArray[Any], lengths: NDArray[np.int64], seed: int) -> None:
    """Play every game of `states` [B] from its start to its end at random; write the number of actions, [B]."""
    i = cuda.grid(1)
    if i < states.shape[0]:
        mask = cuda.local.array(NUM_ACTIONS, np.bool_)
        chances = cuda.local.array(NUM_OUTCOMES, np.float64) if NUM_OUTCOMES else None
        lengths[i] = playout_row(states, i, initial, mask, chances, seed)
