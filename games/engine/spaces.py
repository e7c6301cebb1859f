"""The Gymnasium spaces of a game, as its views show it."""

from typing import Any

import numpy as np
from gymnasium import spaces

from games.engine.game import Game


def observation_space(game: Game) -> spaces.Space[Any]:
    """What a seat sees: `observation` and `action_mask` (int8), or a bare whole number."""
    if game.bare:
        return spaces.Discrete(game.observation_high + 1)
    seen = spaces.Box(0, game.observation_high, game.observation_shape, game.observation_dtype)
    return spaces.Dict({"observation": seen, "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8)})
