"""Moves of playouts: a template that `games.engine.compiler` turns into machine code for one game."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.jit import njit
from games.engine.moves import choose
from games.engine.rules import playout_action, random_action


@njit(inline="always")
def playout_move(state: Any, mask: NDArray[np.bool_], bits: Any) -> int:
    """Return the action of a playout, chosen by 64 random bits: the game's own choice, else a random one.

    `mask` [A] is scratch.
    """
    action = playout_action(state, bits)
    if action < 0:
        action = random_action(state, bits)
    if action < 0:
        action = choose(state, mask, bits)
    return action
