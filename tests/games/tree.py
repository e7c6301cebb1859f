"""A template for `games.engine.compiler.instantiate`: every position that follows, chance's outcomes among them."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from games.engine.game import CHANCE, TERMINAL
from games.engine.rules import apply, chance_outcomes, legal_actions


@njit(cache=True)
def expand(
    states: NDArray[Any],
    reach: NDArray[np.float64],
    mask: NDArray[np.bool_],
    chances: NDArray[np.float64],
    after: NDArray[Any],
    after_reach: NDArray[np.float64],
    parents: NDArray[np.int64],
    actions: NDArray[np.int64],
) -> int:
    """Write all children of `states` [N] into `after`, with what chance adds to their `reach`; returns how many."""
    count = 0
    for i in range(states.shape[0]):
        player = states[i].current_player
        if player == TERMINAL:
            continue
        chances[:] = 0
        mask[:] = False
        if player == CHANCE:
            chance_outcomes(states[i], chances)
        else:
            legal_actions(states[i], mask)
        for action in range(chances.shape[0] if player == CHANCE else mask.shape[0]):
            likely = chances[action] if player == CHANCE else 1.0 * mask[action]
            if likely > 0:
                after[count] = states[i]
                apply(after[count], action)
                after_reach[count] = reach[i] * likely
                parents[count], actions[count] = i, action
                count += 1
    return count
