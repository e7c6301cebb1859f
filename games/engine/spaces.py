"""The Gymnasium spaces of a game, as its views show it."""

from typing import Any

import numpy as np
from gymnasium import spaces

from games.engine.game import Game


def observation_space(game: Game) -> spaces.Space[Any]:
    """Return the space of an observation: `observation` and `action_mask` (int8), or a bare whole number."""
    if game.unmasked_observation:
        return spaces.Discrete(int(game.observation_high) + 1)
    observation = spaces.Box(0, game.observation_high, game.observation_shape, game.observation_dtype)
    return spaces.Dict({"observation": observation, "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8)})
