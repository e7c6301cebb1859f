"""Gymnasium environments as tasks to train for, besides games."""

from typing import Any

import gymnasium as gym

from arena.base.errors import UsageError
from arena.policy.registration import Spaces
from arena.runs.options import GYM


class GymTask:
    """A Gymnasium environment by its id; `gym:CartPole-v1` on the command line.

    Raises `UsageError` if Gymnasium does not know the id or cannot make the environment.
    """

    def __init__(self, env_id: str):
        self.env_id = env_id
        try:
            env = self.make()
        except (gym.error.Error, ImportError) as error:
            raise UsageError(f"gym:{env_id} cannot be made: {' '.join(str(error).split())}") from None
        self.name = GYM + env_id
        self.options: dict[str, Any] = {}
        self.spaces = Spaces(env.observation_space, env.action_space)
        env.close()

    def make(self) -> gym.Env[Any, Any]:
        """Return a new environment."""
        return gym.make(self.env_id)
