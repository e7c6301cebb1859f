"""`Environments`: one interface to all kinds of environments that a collector steps."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.data.infos import columns
from arena.env.base import BaseVectorEnv, DummyVectorEnv
from arena.env.from_gymnasium import FromGymnasium
from arena.env.games import VectorGames
from arena.env.native import require_resets_by_hand

Ints = NDArray[np.int64]
VectorEnv = BaseVectorEnv | VectorGames | FromGymnasium
StepResult = tuple[Any, NDArray[Any], NDArray[np.bool_], NDArray[np.bool_], Batch]
"""A step of n environments: observations, rewards, terminated, truncated, infos as columns [n, ...]."""

_NOTHING = Batch()


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
        """True if all have to be reset: at first, and after one of them raised an error."""
        require_resets_by_hand(self.env)
        asynchronous = isinstance(self.env, BaseVectorEnv) and self.env.is_async
        if asynchronous and not in_parts:
            raise UsageError("a vector environment with wait_num or timeout steps in parts: give it to AsyncCollector")
        if in_parts and not asynchronous:
            kind = type(env).__name__
            raise UsageError(f"AsyncCollector needs a vector environment with wait_num or timeout; {kind} has neither")

    def reset(self, env_ids: Ints, gym_reset_kwargs: Mapping[str, Any] | None = None) -> tuple[Any, Batch]:
        """Reset these environments; return observations and infos. `UsageError` for unknown keywords."""
        known = ("seed",) if isinstance(self.env, VectorGames) else ("seed", "options")
        keywords = dict(gym_reset_kwargs or {})
        if unknown := sorted(keywords.keys() - set(known)):
            raise UsageError(f"gym_reset_kwargs may hold {' and '.join(known)} here, not {', '.join(unknown)}")
        obs, infos = self._noting_failures(partial(self.env.reset, env_ids, **keywords))
        return obs, _as_columns(infos)

    def step(self, actions: Any, env_ids: Ints | None) -> StepResult:
        """Step these environments."""
        obs, rew, *ends, infos = self._noting_failures(self.env.step, actions, env_ids)
        if rew.ndim != 1 and not self.env.agents:
            raise UsageError(
                f"a step returns one reward, not {rew.shape[1:]} of them; wrap an environment of several agents "
                "in turns, with a reward each, as MultiAgentEnv(env): DummyVectorEnv([lambda: MultiAgentEnv(make())])"
            )
        return (obs, rew, *ends, _as_columns(infos))

    def _noting_failures(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function; record any error as a failure, except `UsageError`, which is raised before any change."""
        try:
            return work(*arguments)
        except Exception as error:
            self.failed |= not isinstance(error, UsageError)
            raise

    @property
    def begin_by_themselves(self) -> bool:
        """Return whether episodes begin in steps, without a reset; `take_up` then returns their first observations."""
        return isinstance(self.env, FromGymnasium)

    def take_up(self, env_ids: Ints) -> tuple[Ints, Any, Batch, Ints]:
        """Begin the episodes that have started by themselves.

        Return their environments with observations and infos, and all those of `env_ids` that can be stepped.
        """
        if not isinstance(self.env, FromGymnasium):
            return env_ids[:0], None, _NOTHING, env_ids
        fresh, obs, infos = self._noting_failures(self.env.begin, env_ids)
        return fresh, obs, _as_columns(infos), env_ids[self.env.running[env_ids]]

    def require_idle(self, env_ids: Ints) -> None:
        """Raise `UsageError` unless other environments can stay idle; Gymnasium's would continue their episodes."""
        if isinstance(self.env, FromGymnasium) and len(cut := env_ids[self.env.running[env_ids]]):
            raise UsageError(
                f"environments {cut.tolist()} are in the middle of episodes, and would step with the others: collect "
                f"n_episode={len(self.env)} or more, or with reset_before_collect=True"
            )

    def final_obs(self, env_ids: Ints) -> Batch:
        """Return the current view of every seat of these environments: `obs` [n, P, ...] and `mask` [n, P, A]."""
        assert not isinstance(self.env, FromGymnasium)  # which has no agents
        return self.env.final_obs(env_ids)

    def final_infos(self, env_ids: Ints, places: tuple[Ints, Ints]) -> list[dict[str, Any]]:
        """Return the latest infos of the seats at `places`, rows of `env_ids` and seats; none in native games."""
        assert not isinstance(self.env, FromGymnasium)
        return [] if isinstance(self.env, VectorGames) else self.env.final_infos(env_ids)[places].tolist()

    def dropped_steps(self) -> tuple[int, int]:
        """Return the numbers of dropped steps and replaced environments so far; 0 for native games."""
        if isinstance(self.env, VectorGames):
            return 0, 0
        return self.env.num_dropped_steps, 0 if isinstance(self.env, FromGymnasium) else self.env.num_restarts

    def show(self) -> None:
        """Render the environments; print renderings that are text."""
        for frame in self.env.render():
            if isinstance(frame, str):
                print(frame)


def _as_columns(infos: Batch | NDArray[Any]) -> Batch:
    """Return the infos of n environments as columns; those of native games are columns already."""
    return infos if isinstance(infos, Batch) else columns(infos)


def _in_our_terms(env: Any) -> VectorEnv:
    if isinstance(env, BaseVectorEnv | VectorGames):
        return env
    return FromGymnasium(env) if isinstance(env, gym.vector.VectorEnv) else DummyVectorEnv([lambda: env])
