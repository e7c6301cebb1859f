"""Gymnasium environments as tasks to train for, besides games."""

import os
from typing import Any

import gymnasium as gym

from arena.base.errors import UsageError
from arena.policy.registration import Spaces
from arena.training.options import GYM

PIXELS = "rgb_array"
"""Gymnasium's word for rendering RGB pixels."""


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
        self.render_modes = tuple(env.metadata.get("render_modes") or ())
        """What the environment says that it can render."""
        env.close()

    @property
    def has_pixels(self) -> bool:
        """True if the environment says that it renders pixels."""
        return PIXELS in self.render_modes

    def make(self) -> gym.Env[Any, Any]:
        """Return a new environment."""
        return gym.make(self.env_id)

    def make_shown(self) -> gym.Env[Any, Any]:
        """Return a new environment that renders RGB pixels; raise `UsageError` if it cannot."""
        if not self.has_pixels:
            known = ", ".join(map(str, self.render_modes)) or "nothing"
            raise UsageError(f"{self.name} cannot be watched: it renders {known}, not {PIXELS}")
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # before pygame is imported: it is to open no window
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        env = None
        try:
            env = gym.make(self.env_id, render_mode=PIXELS)
            env.reset(seed=0)
            env.render()
        except (gym.error.Error, ImportError) as error:  # whose text says what to install
            if env is not None:
                env.close()
            raise UsageError(f"{self.name} cannot be watched: {' '.join(str(error).split())}") from None
        return env
