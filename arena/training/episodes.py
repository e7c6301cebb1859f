"""Episodes of a Gymnasium environment, step by step, with a picture of each: for people to watch."""

from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.base.seeding import spawn_seeds
from arena.collector.of_task import collector_of
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from arena.training.collecting import load_for
from arena.training.tasks import GymTask

USUAL_FPS = 30.0
"""Steps in a second where an environment does not say how many."""


@dataclass(frozen=True, eq=False)
class EpisodeFrame:
    """Picture and figures of an episode after a step."""

    pixels: NDArray[np.uint8]
    """RGB [H, W, 3], row 0 on top."""
    steps: int = 0
    """Steps made so far in the episode."""
    episode_return: float = 0.0
    """Return so far, undiscounted."""
    terminated: bool = False
    truncated: bool = False

    @property
    def over(self) -> bool:
        """True if the episode has ended."""
        return self.terminated or self.truncated


class WatchedEpisodes:
    """An agent in one environment that renders; its episodes are those of a seed.

    Args:
        task: the environment.
        spec: the agent, ppo:runs/mine, or random.
        seed: random seed of environment and agent.

    Raises `UsageError` if there is no such agent, or if the environment renders no pixels.

    """

    def __init__(self, task: GymTask, spec: str, seed: int = 0):
        self._seed = seed
        self._at_random = spec == "random"
        self._policy: Policy = RandomPolicy() if self._at_random else load_for(task, spec)
        self._film = _Film(task.name, task.make_shown())
        self.frames_per_second = float(self._film.metadata.get("render_fps") or USUAL_FPS)
        """Steps in a second at the environment's own speed."""
        self._collector = collector_of(lambda: self._film, 1, self._policy)
        env: Any = self._collector.env
        self._space = env.action_space[0]

    def begin(self, number: int) -> EpisodeFrame:
        """Begin the episode of that number; return what is seen at its start."""
        environment, moves = spawn_seeds(self._seed, number, count=2)
        self._policy.reset(moves)
        self._space.seed(moves % 2**31)
        self._collector.reset_env({"seed": environment % 2**31})
        return self._film.first

    def step(self) -> EpisodeFrame:
        """Let the agent act once; return what is seen then."""
        self._collector.collect(n_step=1, random=self._at_random)
        return self._film.last

    def close(self) -> None:
        """Close the environment and the agent."""
        self._collector.close()
        self._policy.close()


class _Film(gym.Wrapper[Any, Any, Any, Any]):
    """Keeps the first frame of the newest episode, and the frame of the last step: that step may have ended another."""

    def __init__(self, name: str, env: gym.Env[Any, Any]):
        super().__init__(env)
        self._name = name

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Reset the environment, and keep what is seen."""
        result = super().reset(seed=seed, options=options)
        self.first = self._before = EpisodeFrame(self._pixels())
        return result

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Step the environment, and keep what is seen."""
        try:
            obs, rew, terminated, truncated, info = super().step(action)
        except Exception as error:  # third-party code may raise anything
            raise UsageError(f"{self._name} failed in a step: {type(error).__name__}: {error}") from error
        before = self._before
        total, ends = before.episode_return + float(rew), (bool(terminated), bool(truncated))
        self.last = self._before = EpisodeFrame(self._pixels(), before.steps + 1, total, *ends)
        return obs, rew, terminated, truncated, info

    def _pixels(self) -> NDArray[np.uint8]:
        pixels = np.asarray(self.render())
        if pixels.ndim != 3 or pixels.shape[2] not in (3, 4) or pixels.dtype != np.uint8 or not pixels.size:
            raise UsageError(
                f"{self._name} cannot be watched: it renders {pixels.dtype} of shape {pixels.shape}, "
                "not uint8 of (height, width, 3)"
            )
        return pixels[:, :, :3].copy()  # some environments draw on one array again and again
