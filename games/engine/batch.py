"""Games side by side: the arrays that batch kernels take.

Shapes: B games in the batch, R rows touched by a call, P seats, A actions, O observation. The arrays may be NumPy's, or
lie in the memory of a CUDA device.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from games.engine.game import Game


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


class View(NamedTuple):
    """Observations and masks of one seat or of each, in each of the R games that a call touches."""

    obs: NDArray[Any]
    """Observations, [R, O] or [R, P, O]."""
    mask: NDArray[np.bool_]
    """Legal actions, [R, A] or [R, P, A]."""


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
