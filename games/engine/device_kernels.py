"""The batch kernels on a CUDA device: a template that `games.engine.compiler` binds to the rules of one game.

They are the functions of `games.engine.moves`, a thread a row, as `games.engine.kernels` is loops over them. Shapes as
there; scratch is each thread's own. Arrays that those functions take come in records, which numba's simulator passes on
as they are. Importing this needs numba-cuda, so only `games.engine.device` does.
"""

import math

import numpy as np
from numba import cuda
from numpy.typing import NDArray

from games.engine.batch import Games, Shown, View
from games.engine.moves import (
    advance_row,
    joint_masks_row,
    may_play,
    observe_mover,
    observe_seats,
    playout_row,
    reset_row,
    show_mask,
)
from games.engine.rules import NUM_ACTIONS, NUM_OUTCOMES, NUM_PLAYERS, OBSERVATION_BYTES, OBSERVATION_SHAPE
from games.engine.staging import block_of, copy_share

OBSERVING = block_of(OBSERVATION_BYTES)
"""Threads of a block of `observe_movers`, which collect their observations first; 0 if they are too large for that."""
COLLECTED = (OBSERVING, *OBSERVATION_SHAPE)
NUMBERS = math.prod(OBSERVATION_SHAPE)


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
def advance(games: Games, rows: NDArray[np.int64], actions: NDArray[np.int64], restart: bool, shown: Shown) -> None:
    """Play legal `actions` [R] in `rows`, and restart games that end if `restart`; observations are left."""
    j = cuda.grid(1)
    if j < rows.shape[0]:
        before = cuda.local.array((1, NUM_PLAYERS), np.float32)
        chances = cuda.local.array(NUM_OUTCOMES, np.float64) if NUM_OUTCOMES else None
        row, place = np.uint64(rows[j]), np.uint64(j)
        advance_row(games, row, place, actions[j], restart, shown, before, chances)
        show_mask(games, row, place, shown)


@cuda.jit
def observe_movers(games: Games, rows: NDArray[np.int64], view: View) -> None:
    """Write the observations of the seats to move in the games in `rows`, [R, O]; masks are left."""
    j, thread = cuda.grid(1), cuda.threadIdx.x
    if OBSERVING:
        block = cuda.shared.array(COLLECTED, view.obs.dtype)
        if j < rows.shape[0]:
            row = np.uint64(rows[j])
            observe_mover(games.states, row, games.seats[row], np.uint64(thread), block)
        cuda.syncthreads()
        first = j - thread
        count = min(cuda.blockDim.x, rows.shape[0] - first) * NUMBERS
        copy_share(block, view.obs, first * NUMBERS, count, thread, cuda.blockDim.x)
    elif j < rows.shape[0]:
        row = np.uint64(rows[j])
        observe_mover(games.states, row, games.seats[row], np.uint64(j), view.obs)


@cuda.jit
def observe_all(games: Games, rows: NDArray[np.int64], view: View) -> None:
    """Write observations and masks of every seat of the games in `rows`: [R, P, O], [R, P, A]."""
    j = cuda.grid(1)
    if j < rows.shape[0]:
        observe_seats(games.states, np.uint64(rows[j]), np.uint64(j), view.obs, view.mask)


@cuda.jit
def joint_masks(games: Games, rows: NDArray[np.int64], view: View) -> None:
    """Write the legal actions of every seat where all choose at once: masks [R, P, A]; observations are left."""
    j = cuda.grid(1)
    if j < rows.shape[0]:
        joint_masks_row(games.states, np.uint64(rows[j]), np.uint64(j), view.mask)


@cuda.jit
def playouts(games: Games, lengths: NDArray[np.int64], seed: int) -> None:
    """Play every game [B] from its start to its end at random; write the number of actions, [B]."""
    i = cuda.grid(1)
    if i < lengths.shape[0]:
        mask = cuda.local.array(NUM_ACTIONS, np.bool_)
        chances = cuda.local.array(NUM_OUTCOMES, np.float64) if NUM_OUTCOMES else None
        lengths[i] = playout_row(games.states, i, games.initial, mask, chances, seed)
