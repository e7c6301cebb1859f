"""The batch kernels: a template that `games.engine.compiler` turns into machine code for one game.

They are loops over the functions of `games.engine.moves`. Shapes as in `games.engine.batch`. `rows` (int64 [R]) says
which games a call touches. Of the arrays of `Games` [B, ...] only those rows are written; everything else has an entry
for each of `rows`, [R, ...]. `chances` (float64 [C]) is scratch, None in a game without chance.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.batch import Games, Shown
from games.engine.entries import unowned
from games.engine.jit import njit
from games.engine.moves import (
    advance_row,
    joint_masks_row,
    may_play,
    observe_mover,
    observe_seats,
    playout_row,
    reset_row,
    show_mask,
    step_row,
)
from games.engine.row_sharing import RowShare, enter, leave, take
from games.engine.rules import NUM_PLAYERS, legal_actions, observe


@njit(cache=True, nogil=True)
def reset(games: Games, rows: NDArray[np.int64], chances: Any) -> None:
    """Restart the games in `rows`."""
    batch, scratch = unowned(games), unowned(chances)
    for row in rows:
        reset_row(batch, row, scratch)


@njit(cache=True, nogil=True)
def first_illegal(games: Games, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> int:
    """Return the index in `rows` of the first action that may not be played, -1 if all may."""
    batch = unowned(games)
    for j in range(rows.shape[0]):
        if not may_play(batch, np.uint64(rows[j]), np.uint64(actions[j])):
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
    batch, before, scratch = unowned(games), np.empty((1, NUM_PLAYERS), np.float32), unowned(chances)
    for j in range(rows.shape[0]):
        step_row(batch, rows[j], j, actions[j], obs, rewards, before, scratch)


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

    One pass over the games, whose rows threads share (`games.engine.row_sharing`).
    """
    batch, display, scratch = unowned(games), unowned(shown), unowned(chances)
    before = np.empty((1, NUM_PLAYERS), np.float32)
    first, last = enter(share, rows.shape[0])
    while first < last:
        for j in range(np.uint64(first), np.uint64(last)):  # unsigned: none counts from the end
            row = np.uint64(rows[j])
            advance_row(batch, row, j, actions[j], restart, display, before, scratch)
            observe_mover(batch.states, row, batch.seats[row], j, display.obs)
            show_mask(batch, row, j, display)
        first, last = take(share, rows.shape[0])
    leave(share)


@njit(cache=True, nogil=True)
def observe_movers(states: NDArray[Any], rows: NDArray[np.int64], seats: NDArray[np.int64], obs: NDArray[Any]) -> None:
    """Write the observations of the seats to move in the games in `rows`: obs [R, O]."""
    for j in range(rows.shape[0]):
        observe_mover(states, rows[j], seats[rows[j]], j, obs)


@njit(cache=True, nogil=True)
def observe_all(states: NDArray[Any], rows: NDArray[np.int64], obs: NDArray[Any], mask: NDArray[np.bool_]) -> None:
    """Write observations and masks of every seat of the games in `rows`: obs [R, P, O], mask [R, P, A]."""
    for j in range(rows.shape[0]):
        observe_seats(states, rows[j], j, obs, mask)


@njit(cache=True, nogil=True)
def joint_masks(states: NDArray[Any], rows: NDArray[np.int64], masks: NDArray[np.bool_]) -> None:
    """Write the legal actions of every seat where all choose at once: masks [R, P, A], all True in a finished game."""
    for j in range(rows.shape[0]):
        joint_masks_row(states, rows[j], j, masks)


@njit(cache=True, nogil=True)
def observe_one(states: NDArray[Any], seat: int, to_move: bool, obs: NDArray[Any], mask: NDArray[np.bool_]) -> None:
    """Write what `seat` sees of the first game, obs [O], and its mask [A], which is all False unless `to_move`."""
    observe(states[0], seat, obs)
    mask[:] = False
    if to_move:
        legal_actions(states[0], mask)


@njit(cache=True, nogil=True)
def playouts(states: NDArray[Any], initial: NDArray[Any], mask: NDArray[np.bool_], chances: Any, seed: int) -> int:
    """Play every game of `states` [B] from its start to its end at random; returns the number of actions."""
    actions, legal, scratch = 0, unowned(mask), unowned(chances)
    for i in range(states.shape[0]):
        actions += playout_row(states, i, initial, legal, scratch, seed)
    return actions
