"""`ParallelMember`: one environment of a `ParallelEnv`, with its extra methods, in the process where it runs."""

import copy
import inspect
import warnings
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.env.foreign import attribute, innermost
from arena.env.stacking import as_objects, stack_observations
from arena.env.workers.base import ResetResult, StepResult
from arena.env.workers.errors import WorkerError


@dataclass(frozen=True)
class Parcel:
    """Result of environment `row`, wrapped so that the vector environment neither stacks it nor acts on its end."""

    row: int
    values: Any


class ParallelMember:
    """Environment `row`, whose results are wrapped as `Parcel`s to hide the end of its episode.

    Args:
        env: speaks Gymnasium's `reset` and five-value `step`.
        row: its number.
        restarts: whether a step that ends an episode begins the next one.
        is_quiet: whether its warnings are dropped.

    """

    def __init__(self, env: Any, row: int, restarts: bool, is_quiet: bool):
        self.env = env
        self.action_space = copy.deepcopy(env.action_space)
        """The environment's, with a generator of its own: one object often serves all environments of a class."""
        self._row, self._restarts, self._is_quiet = row, restarts, is_quiet
        self._last: ResetResult  # observation and info that the next action answers

    def __getattr__(self, name: str) -> Any:
        """Return other attributes of the environment that a worker reads: agents, `check_action`."""
        return getattr(self.env, name)

    def get_wrapper_attr(self, name: str) -> Any:
        """Return an attribute of this member or else of its environment."""
        return getattr(self, name)

    @property
    def unwrapped(self) -> Any:
        """The innermost environment, whose attributes are set."""
        return innermost(self.env)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Parcel, dict[str, Any]]:
        """Begin an episode; the parcel holds observation and info."""
        with self._warnings():
            return Parcel(self._row, self._begin(seed, options)), {}

    def step(self, action: Any) -> tuple[Parcel, float, bool, bool, dict[str, Any]]:
        """Take an action; the parcel holds Gymnasium's five values.

        If `restarts`, an observation that ends an episode stands in the info as `ended_state`, and the first one of the
        next episode in its place; `reset` in the info says whether that is so.
        """
        with self._warnings():
            obs, rew, terminated, truncated, info = self._take(action)
            if self._restarts:
                info = {**info, "reset": False}
                if is_over(terminated, truncated):
                    ended = copy.deepcopy(obs)  # the environment may write its next one to the same memory
                    obs, first = self._begin()
                    info |= {"reset": True, "ended_state": ended, "reset_info": first}
            return Parcel(self._row, (obs, rew, terminated, truncated, info)), 0.0, False, False, {}

    def rollout(self) -> Batch:
        """Take random legal actions until the episode is over; returns its T steps, as `ParallelEnv.rollout` says."""
        steps = []
        with self._warnings():
            over = False
            while not over:
                before = copy.deepcopy(self._last[0])
                action = self._random_action()
                obs, rew, terminated, truncated, info = self._take(action)
                over = is_over(terminated, truncated)
                steps.append((before, action, rew, terminated, truncated, copy.deepcopy(obs), copy.deepcopy(info)))
        before, act, rew, terminated, truncated, obs, infos = zip(*steps, strict=True)
        return Batch(
            obs=stacked(before),
            act=stacked(act),
            rew=np.asarray(rew, np.float64),
            terminated=np.asarray(terminated, np.bool_),
            truncated=np.asarray(truncated, np.bool_),
            obs_next=stacked(obs),
            info=as_objects(infos),
        )

    def look_up(self, key: str) -> Any:
        """Return the environment's attribute `key`, None if it has none."""
        if key == "action_space":
            return self.action_space  # the one that is seeded
        try:
            return attribute(self.env, key)
        except AttributeError:
            return None

    def perform(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Call the environment's method `name`; `UsageError` if it has none, or not with these arguments."""
        method = self.look_up(name)
        if not callable(method):
            raise UsageError(f"environment {self._row} has no method {name!r}")
        try:
            signature = inspect.signature(method)
        except (ValueError, TypeError):  # some that are not written in Python do not say
            pass
        else:
            try:
                signature.bind(**arguments)
            except TypeError as error:
                wanted = f"it is {name}{signature}"
                raise UsageError(f"method {name!r} of environment {self._row}: {error}; {wanted}") from error
        with self._warnings():
            return method(**arguments)

    def close(self) -> None:
        """Close the environment."""
        with self._warnings():
            self.env.close()

    def _begin(self, seed: int | None = None, options: dict[str, Any] | None = None) -> ResetResult:
        obs, info = self._several(self.env.reset(seed=seed, options=options), 2, "reset")
        self._last = obs, info
        return self._last

    def _take(self, action: Any) -> StepResult:
        obs, rew, terminated, truncated, info = self._several(self.env.step(action), 5, "step")
        self._last = obs, info
        return obs, rew, terminated, truncated, info

    def _several(self, returned: Any, count: int, method: str) -> Any:
        if not isinstance(returned, tuple) or len(returned) != count:
            got = f"{len(returned)} values" if isinstance(returned, tuple) else f"a {type(returned).__name__}"
            raise WorkerError(f"environment {self._row} returned {got} from {method}, Gymnasium's has {count} values")
        return returned

    def _random_action(self) -> Any:
        mask = legal_actions(self.action_space, *self._last)
        return self.action_space.sample() if mask is None else self.action_space.sample(mask)

    def _warnings(self) -> AbstractContextManager[Any]:
        return warnings.catch_warnings(action="ignore") if self._is_quiet else nullcontext()


def is_over(terminated: Any, truncated: Any) -> bool:
    """Return whether an episode is over, for all agents if there are several."""
    over = terminated | truncated
    return bool(over.all()) if isinstance(over, np.ndarray) else bool(over)


def legal_actions(space: gym.Space[Any], obs: Any, info: Mapping[str, Any]) -> NDArray[np.int8] | None:
    """Return the mask over a `Discrete` space in an observation or its info; None if there is none."""
    if not isinstance(space, gym.spaces.Discrete):
        return None
    shown = [obs, info] if isinstance(obs, Mapping) else [info]
    for mask in (np.asarray(place[key]) for place in shown for key in ("action_mask", "mask") if key in place):
        if mask.shape == (space.n,):
            return mask.astype(np.int8)
    return None


def stacked(values: Any) -> Any:
    """Return values as [R, ...] if their shapes and types agree, else as objects [R]."""
    if any(value is None for value in values):
        return as_objects(values)
    try:
        return stack_observations(values, str)
    except UsageError:
        return as_objects(values)
