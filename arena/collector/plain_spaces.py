"""`with_plain_spaces`: an environment of Gymnasium as networks and buffers take it."""

from typing import Any

from gymnasium import Env
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete
from gymnasium.wrappers import TransformAction, TransformObservation

from arena.env.spaces import actions_of, observations_of


def with_plain_spaces(env: Env[Any, Any]) -> Env[Any, Any]:
    """Return an environment of one agent whose observations are arrays or numbers, and actions numbers or vectors.

    Dictionaries and tuples are flattened, combinations of choices are numbered from 0. Raises `UsageError` as
    `observations_of` and `actions_of`.
    """
    observation, action = env.observation_space, env.action_space
    if not isinstance(observation, Box | Discrete | MultiBinary | MultiDiscrete):
        flat = observations_of(observation)
        env = TransformObservation(env, flat.encode, Box(flat.low, flat.high, flat.shape, flat.dtype.type))
    if isinstance(action, MultiBinary | MultiDiscrete) or (isinstance(action, Discrete) and action.start != 0):
        numbered = actions_of(action)
        env = TransformAction(env, numbered.decode, Discrete(numbered.count))
    return env
