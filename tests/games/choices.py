"""A template of kernels for tests: what a game's own shortcuts to random choices choose, many times over."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from games.engine.chance import pick
from games.engine.rules import chance_outcomes, draw, draw_outcome, playout_action, prior, random_action, reseed


@njit(cache=True)
def actions(states: NDArray[Any], bits: NDArray[np.uint64], out: NDArray[np.int64]) -> None:
    """The action that each of `bits` [N] chooses in the first record."""
    for i in range(bits.shape[0]):
        out[i] = random_action(states[0], bits[i])


@njit(cache=True)
def playout_actions(states: NDArray[Any], bits: NDArray[np.uint64], out: NDArray[np.int64]) -> None:
    """The action of a playout that each of `bits` [N] chooses in the first record."""
    for i in range(bits.shape[0]):
        out[i] = playout_action(states[0], bits[i])


@njit(cache=True)
def priors(states: NDArray[Any], out: NDArray[np.float64]) -> None:
    """What each action [A] looks like in the first record, legal or not."""
    for action in range(out.shape[0]):
        out[action] = prior(states[0], action)


@njit(cache=True)
def outcomes(states: NDArray[Any], chances: NDArray[np.float64], drawn: NDArray[Any], picked: NDArray[Any]) -> None:
    """Return the outcomes of N seeds in the first record: by the shortcut, and by the probabilities."""
    for seed in range(drawn.shape[0]):
        reseed(states[0], seed)
        drawn[seed] = draw_outcome(states[0])
        reseed(states[0], seed)
        chances[:] = 0
        chance_outcomes(states[0], chances)
        picked[seed] = pick(chances, draw(states[0]))
