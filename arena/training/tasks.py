"""Gymnasium environments as tasks to train for, besides games."""

import os
from collections.abc import Mapping
from typing import Any

import gymnasium as gym
from gymnasium.wrappers import TimeLimit

from arena.base.errors import UsageError, foreign_code
from arena.collector.plain_spaces import with_plain_spaces
from arena.policy.registration import Spaces
from arena.training.gym_names import GYM, stored_task
from arena.training.gym_specs import spec_of
from games.engine.errors import foreign_fault, in_a_line
from games.engine.source_files import without_hash

PIXELS = "rgb_array"
"""Gymnasium's word for rendering RGB pixels."""


MOST_STEPS = 10_000
"""Steps after which an episode is cut off, if the environment has no such limit itself."""


class GymTask:
    """A Gymnasium environment by its id; `gym:CartPole-v1` on the command line.

    The id may be that of a module, `minigrid:MiniGrid-Empty-5x5-v0`, or be a file, `./walk.py` or `./walk.py:Walk-v0`.
    `options` are arguments for `gym.make`. Spaces are made plain, see `with_plain_spaces`. Raises `UsageError` if
    Gymnasium cannot make the environment, if a module or a file is not trusted, or if spaces cannot be made plain.
    """

    def __init__(self, env_id: str, options: Mapping[str, Any] | None = None):
        self.name = stored_task(GYM + env_id)
        self.options: dict[str, Any] = dict(sorted((options or {}).items()))
        try:
            env = self._made()
        except UsageError:
            raise
        except Exception as error:  # third-party code may raise anything
            raise UsageError(f"{GYM}{env_id} cannot be made: {_sentence(error)}") from error
        self.limits_episodes = _limits_episodes(env)
        """True if the environment cuts episodes off itself."""
        self.render_modes = tuple(env.metadata.get("render_modes") or ())
        """What the environment says that it can render."""
        env = self._fitted(env)
        self.spaces = Spaces(env.observation_space, env.action_space)
        env.close()

    @property
    def has_pixels(self) -> bool:
        """True if the environment says that it renders pixels."""
        return PIXELS in self.render_modes

    def make(self) -> gym.Env[Any, Any]:
        """Return a new environment."""
        return self._fitted(self._made())

    def _fitted(self, env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
        """Return an environment with plain spaces whose episodes end."""
        env = Named(env if _limits_episodes(env) else TimeLimit(env, MOST_STEPS), without_hash(self.name))
        return with_plain_spaces(env)

    def _made(self, **further: Any) -> gym.Env[Any, Any]:
        """Return what Gymnasium makes."""
        return gym.make(spec_of(self.name.removeprefix(GYM)), **self.options | further)

    def make_shown(self) -> gym.Env[Any, Any]:
        """Return a new environment that renders RGB pixels; raise `UsageError` if it cannot."""
        if not self.has_pixels:
            known = ", ".join(map(str, self.render_modes)) or "nothing"
            raise UsageError(f"{without_hash(self.name)} cannot be watched: it renders {known}, not {PIXELS}")
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # before pygame is imported: it is to open no window
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        env = None
        try:
            env = self._fitted(self._made(render_mode=PIXELS))
            env.reset(seed=0)
            env.render()
        except Exception as error:
            if env is not None:
                env.close()
            raise UsageError(f"{without_hash(self.name)} cannot be watched: {_sentence(error)}") from error
        return env


def _sentence(error: Exception) -> str:
    """Return what an error says, in a line; Gymnasium's own, and those of imports, say it in a sentence."""
    is_sentence = isinstance(error, UsageError | gym.error.Error | ImportError)
    return " ".join(str(error).split()) if is_sentence else in_a_line(error)


def _limits_episodes(env: gym.Env[Any, Any]) -> bool:
    return env.spec is not None and env.spec.max_episode_steps is not None


class Named(gym.Wrapper[Any, Any, Any, Any]):
    """An environment whose errors say in which one they were, as `foreign_code` does."""

    def __init__(self, env: gym.Env[Any, Any], name: str):
        super().__init__(env)
        self._name = name

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        """Reset the environment."""
        with foreign_code(f"{self._name} failed to begin an episode"):
            return self.env.reset(**options)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Step the environment."""
        try:
            return self.env.step(action)
        except UsageError:
            raise
        except Exception as error:
            raise foreign_fault(f"{self._name} failed in a step", error) from error
