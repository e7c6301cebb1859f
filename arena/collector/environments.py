"""`Environments`: whatever a collector steps, in one manner."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch
from arena.env.base import BaseVectorEnv, DummyVectorEnv
from arena.env.from_gymnasium import FromGymnasium
from arena.env.native import GameVectorEnv, require_resets_by_hand
from arena.errors import UsageError

Ints = NDArray[np.int64]
VectorEnv = BaseVectorEnv | GameVectorEnv | FromGymnasium
StepResult = tuple[Any, NDArray[Any], NDArray[np.bool_], NDArray[np.bool_], Any]
"""What a vector environment's `step` returns: observations, rewards, terminated, truncated, infos."""


class Environments:
    """A vector environment of ours or of Gymnasium's, or a single environment, and whether it has failed.

    Args:
        env: the environments.
        in_parts: whether steps are to return in parts; `UsageError` if these do not, or do.

    """

    def __init__(self, env: Any, in_parts: bool):
        self.env = _in_our_terms(env)
        """The vector environment."""
        self.failed = True
        """Whether all have to be reset, for the first time or since one of them raised something."""
        require_resets_by_hand(self.env)
        asynchronous = isinstance(self.env, BaseVectorEnv) and self.env.is_async
        if asynchronous and not in_parts:
            raise UsageError("a vector environment with wait_num or timeout steps in parts: give it to AsyncCollector")
        if in_parts and not asynchronous:
            kind = type(env).__name__
            raise UsageError(f"AsyncCollector needs a vector environment with wait_num or timeout; {kind} has neither")

    def reset(self, env_ids: Ints, gym_reset_kwargs: Mapping[str, Any] | None = None) -> Any:
        """Reset these environments, which returns what they show; nothing is done if the keywords are not known."""
        known = ("seed",) if isinstance(self.env, GameVectorEnv) else ("seed", "options")
        told = dict(gym_reset_kwargs or {})
        if unknown := sorted(told.keys() - set(known)):
            raise UsageError(f"gym_reset_kwargs may hold {' and '.join(known)} here, not {', '.join(unknown)}")
        return self._noting_failures(partial(self.env.reset, env_ids, **told))[0]

    def step(self, actions: Any, env_ids: Ints | None) -> StepResult:
        """Step these environments."""
        return self._noting_failures(self.env.step, actions, env_ids)

    def _noting_failures(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """What an environment raises is a failure; what is refused beforehand does no harm."""
        try:
            return work(*arguments)
        except Exception as error:
            self.failed |= not isinstance(error, UsageError)
            raise

    @property
    def begin_by_themselves(self) -> bool:
        """Whether episodes begin without a reset, in steps; then `take_up` tells of them."""
        return isinstance(self.env, FromGymnasium)

    def take_up(self, env_ids: Ints) -> tuple[Ints, Any, Ints]:
        """Which of these have begun an episode by themselves, what they show, and which of all these can be stepped."""
        if not isinstance(self.env, FromGymnasium):
            return env_ids[:0], None, env_ids
        fresh, obs, _ = self._noting_failures(self.env.begin, env_ids)
        return fresh, obs, env_ids[self.env.running[env_ids]]

    def require_idle(self, env_ids: Ints) -> None:
        """Whether those that are not asked can be left alone: Gymnasium's would go on in the middle of an episode."""
        if isinstance(self.env, FromGymnasium) and len(cut := env_ids[self.env.running[env_ids]]):
            raise UsageError(
                f"environments {cut.tolist()} are in the middle of episodes, and would step with the others: collect "
                f"n_episode={len(self.env)} or more, or with reset_before_collect=True"
            )

    def final_obs(self, env_ids: Ints) -> Batch:
        """What every seat of these environments sees now: `obs` [n, P, ...] and `mask` [n, P, A]."""
        assert not isinstance(self.env, FromGymnasium)  # which has no agents
        return self.env.final_obs(env_ids)

    def losses(self) -> tuple[int, int]:
        """Steps dropped and environments replaced so far; native games lose none."""
        return getattr(self.env, "num_dropped_steps", 0), getattr(self.env, "num_restarts", 0)

    def show(self) -> None:
        """Render; print what is text."""
        for frame in self.env.render():
            if isinstance(frame, str):
                print(frame)


def _in_our_terms(env: Any) -> VectorEnv:
    if isinstance(env, BaseVectorEnv | GameVectorEnv):
        return env
    return FromGymnasium(env) if isinstance(env, gym.vector.VectorEnv) else DummyVectorEnv([lambda: env])
