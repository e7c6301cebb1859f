"""The interface through which `GymVectorEnv` uses its environments, held by workers or a batch of games."""

from collections.abc import Iterable, Sequence, Sized
from typing import Any, Protocol

import numpy as np
from gymnasium import Space
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary
from gymnasium.vector.utils import iterate
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.env.base import BaseVectorEnv
from arena.env.games import VectorGames
from arena.env.gym_arrays import Ints
from arena.env.native import require_resets_by_hand

Infos = list[dict[str, Any]] | dict[str, Any]
"""A dictionary an environment, or arrays [R, ...] by key."""
Steps = tuple[Any, NDArray[Any], NDArray[np.bool_], NDArray[np.bool_], Infos]


class Members(Protocol):
    """Protocol of numbered environments; results are arrays with a row for each environment addressed."""

    observation_spaces: list[Space[Any]]
    action_spaces: list[Space[Any]]
    metadata: dict[str, Any]
    render_mode: str | None

    def reset(self, rows: Ints, seeds: list[Any], options: dict[str, Any] | None) -> tuple[Any, Infos]:
        """Begin episodes, each with a seed or None; returns observations and infos."""

    def step(self, space: Space[Any], actions: Any, rows: Ints) -> Steps:
        """Take those of the `actions` of all environments, which `space` batches, that belong to `rows`."""

    def call(self, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """Call a method of each environment and return the results, or return an attribute that cannot be called."""

    def set_attr(self, name: str, values: Sequence[Any]) -> None:
        """Set an attribute of each environment."""


def members_of(env: BaseVectorEnv | VectorGames) -> Members:
    """Return the environments of `env`; those with several agents return the reward of the acting seat."""
    require_resets_by_hand(env)
    if isinstance(env, VectorGames):
        return Seated(BatchMembers(env), len(env), env.num_agents)
    if env.is_async:
        raise UsageError(
            "Gymnasium steps all environments at once: give a vector environment without wait_num, timeout"
        )
    return Seated(WorkerMembers(env), len(env), env.num_agents) if env.agents else WorkerMembers(env)


class WorkerMembers:
    """Environments in workers."""

    def __init__(self, env: BaseVectorEnv):
        self._env = env
        self.observation_spaces = [_normalised(s) if env.norm_obs else s for s in env.observation_space]
        self.action_spaces = env.action_space
        self.metadata = dict(self._attr("metadata") or {})
        self.render_mode = self._attr("render_mode")

    def _attr(self, key: str) -> Any:
        try:
            return self._env.get_env_attr(key, 0)[0]
        except AttributeError:  # adapters of PettingZoo's environments have what those have
            return None

    def reset(self, rows: Ints, seeds: list[Any], options: dict[str, Any] | None) -> tuple[Any, Infos]:
        """Observations and infos."""
        obs, infos = self._env.reset(rows, seeds, options)
        return obs, list(infos)

    def step(self, space: Space[Any], actions: Any, rows: Ints) -> Steps:
        """Observations, rewards [R] or [R, P], ends of the same shape, and infos."""
        _require_several(actions, len(self._env))
        each = list(iterate(space, actions))
        _require_count(each, len(self._env))
        *results, infos = self._env.step([each[row] for row in rows], rows)
        obs, rew, terminated, truncated = results
        return obs, rew, terminated, truncated, list(infos)

    def call(self, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """Call the method in all environments at once."""
        return self._env.call(name, [(args, kwargs)] * len(self._env))

    def set_attr(self, name: str, values: Sequence[Any]) -> None:
        """Set the attribute on the wrapper that has it, as Gymnasium does."""
        if self._env.agents:
            for row, value in enumerate(values):
                self._env.set_env_attr(name, value, row)
        else:
            self._env.call("set_wrapper_attr", [((name, value), {}) for value in values])


class BatchMembers:
    """A batch of games, which have no attributes: `call` uses those of their rules, a `Game`."""

    def __init__(self, env: VectorGames):
        self._env = env
        game = env.game
        self.observation_spaces = [Box(0, 1, game.observation_shape, game.observation_dtype)] * len(env)
        self.action_spaces: list[Space[Any]] = [Discrete(game.num_actions)] * len(env)
        self.metadata: dict[str, Any] = {"render_modes": ["ansi"]}
        self.render_mode = "ansi"

    def reset(self, rows: Ints, seeds: list[Any], options: dict[str, Any] | None) -> tuple[Any, Infos]:
        """Observations and no infos; a seed decides what chance does, see `VectorGames`. `UsageError` for options."""
        if options:
            raise UsageError(f"a batch of games is reset without options, not with {options}")
        return self._env.reset(rows, seeds)[0], {}

    def step(self, space: Space[Any], actions: Any, rows: Ints) -> Steps:
        """Observations, rewards and ends [R, P], and no infos."""
        _require_several(actions, len(self._env))
        _require_count(actions, len(self._env))
        return (*self._env.step(np.asarray(actions)[rows], rows)[:4], {})

    def call(self, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """Return the same result for every game."""
        attribute = getattr(self._env.game, name)
        return [attribute(*args, **kwargs) if callable(attribute) else attribute for _ in range(len(self._env))]

    def set_attr(self, name: str, values: Sequence[Any]) -> None:
        """Raise `UsageError`, since rules do not change."""
        raise UsageError(f"the games of a batch have no attributes to set: {name!r}")


class Seated:
    """Multi-agent environments that return the reward of the seat that acted.

    See `GymVectorEnv` for what is shown.
    """

    def __init__(self, members: WorkerMembers | BatchMembers, num_envs: int, num_agents: int):
        self._members = members
        self._seats = np.zeros(num_envs, np.int64)  # who is to act
        self.action_spaces = members.action_spaces
        self.metadata, self.render_mode = members.metadata, members.render_mode
        pairs = zip(members.observation_spaces, members.action_spaces, strict=True)
        self.observation_spaces: list[Space[Any]] = [_observation_space_of(num_agents, *pair) for pair in pairs]

    def reset(self, rows: Ints, seeds: list[Any], options: dict[str, Any] | None) -> tuple[Any, Infos]:
        """Observations and infos."""
        obs, infos = self._members.reset(rows, seeds, options)
        return self._as_observation(obs, rows), infos

    def step(self, space: Space[Any], actions: Any, rows: Ints) -> Steps:
        """Observations, rewards and ends [R], and infos."""
        obs, rew, terminated, truncated, infos = self._members.step(space, actions, rows)
        seats = self._seats[rows]
        over, cut = np.asarray((terminated | truncated).all(axis=1)), np.asarray(truncated.any(axis=1))
        extra = {"rewards": rew, "seat": seats}
        if isinstance(infos, dict):
            infos = infos | extra
        else:
            infos = [info | {key: value[k] for key, value in extra.items()} for k, info in enumerate(infos)]
        return self._as_observation(obs, rows), rew[np.arange(len(rows)), seats], over & ~cut, over & cut, infos

    def _as_observation(self, obs: Batch, rows: Ints) -> Batch:
        self._seats[rows] = obs.agent_id
        return Batch(agent_id=obs.agent_id, obs=obs.obs, mask=obs.mask.astype(np.int8))

    def call(self, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """Delegate to the environments."""
        return self._members.call(name, args, kwargs)

    def set_attr(self, name: str, values: Sequence[Any]) -> None:
        """Delegate to the environments."""
        self._members.set_attr(name, values)


def _observation_space_of(num_agents: int, observation: Space[Any], action: Space[Any]) -> Dict:
    parts: dict[str, Space[Any]] = {"agent_id": Discrete(num_agents), "obs": observation}
    return Dict(parts | ({"mask": MultiBinary(int(action.n))} if isinstance(action, Discrete) else {}))


def _normalised(space: Space[Any]) -> Space[Any]:
    """The space of observations of `space` that a vector environment normalises."""
    dtype: Any = space.dtype if space.dtype is not None and space.dtype.kind == "f" else np.float32
    return Box(-10.0, 10.0, space.shape, dtype)


def _require_several(actions: Any, num_envs: int) -> None:
    if not isinstance(actions, Sized) or (isinstance(actions, np.ndarray) and actions.ndim == 0):
        raise UsageError(f"step takes {num_envs} actions, one per environment, not {actions!r}")


def _require_count(actions: Iterable[Any], num_envs: int) -> None:
    count = sum(1 for _ in actions)
    if count != num_envs:
        raise UsageError(f"step takes {num_envs} actions, one per environment, not {count}")
