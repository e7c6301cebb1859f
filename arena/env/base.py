"""`BaseVectorEnv`: several environments behind one interface, each held by a worker; `DummyVectorEnv` in turn."""

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch
from arena.env.ids import Ids, rows_of, seeds_for
from arena.env.workers.base import EnvWorker
from arena.env.workers.dummy import DummyEnvWorker
from arena.errors import UsageError


class BaseVectorEnv:
    """The environments that `env_fns` make, each in a worker that `worker_fn` makes.

    Environments speak Gymnasium's five-value step, or are `PettingZooEnv`s. Results are stacked over environments, R
    rows for the R environments of `id`: observations [R, ...] (a `Batch` of arrays if they are dictionaries), rewards
    and ends [R], or [R, P] for P agents, infos an object array [R]. Nothing resets itself.
    """

    def __init__(self, env_fns: Sequence[Callable[[], Any]], worker_fn: Callable[[Callable[[], Any]], EnvWorker]):
        if not env_fns:
            raise UsageError("a vector environment needs at least one function that makes an environment")
        self.workers = [worker_fn(env_fn) for env_fn in env_fns]
        self.is_closed = False
        self._running = np.zeros(len(self.workers), np.bool_)
        self.agents: tuple[str, ...] = tuple(self._first_attr("possible_agents") or ())
        """Names of the agents by seat; empty for single-agent environments."""

    def __len__(self) -> int:
        return len(self.workers)

    @property
    def num_agents(self) -> int:
        """Number of seats, 1 for single-agent environments."""
        return len(self.agents) or 1

    @property
    def observation_space(self) -> list[gym.Space[Any]]:
        """The observation space of each environment."""
        return self.get_env_attr("observation_space")

    @property
    def action_space(self) -> list[gym.Space[Any]]:
        """The action space of each environment."""
        return self.get_env_attr("action_space")

    def _first_attr(self, key: str) -> Any:
        try:
            return self.workers[0].get_env_attr(key)
        except AttributeError:
            return None

    def get_env_attr(self, key: str, id: Ids = None) -> list[Any]:
        """The attribute `key` of each environment of `id`."""
        self._require_open()
        return [self.workers[row].get_env_attr(key) for row in rows_of(id, len(self))]

    def set_env_attr(self, key: str, value: Any, id: Ids = None) -> None:
        """Set the attribute `key` in each environment of `id`."""
        self._require_open()
        for row in rows_of(id, len(self)):
            self.workers[row].set_env_attr(key, value)

    def reset(
        self, id: Ids = None, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, NDArray[Any]]:
        """Reset the environments of `id`; returns observations and infos. A whole `seed` counts up over them."""
        self._require_open()
        rows = self._rows_of(id)
        seeds = seeds_for(seed, len(rows))
        results = [self.workers[row].reset(seed=s, options=options) for row, s in zip(rows, seeds, strict=True)]
        self._running[rows] = True
        return _stack([obs for obs, _ in results]), _objects([info for _, info in results])

    def step(
        self, action: Any, id: Ids = None
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], NDArray[Any]]:
        """Take one action in each environment of `id`; returns observations, rewards, terminated, truncated, infos.

        Raises `UsageError` for a number of actions that does not fit, or an environment that is done or not yet reset,
        and what an environment has against its action, before any of them steps.
        """
        self._require_open()
        rows = self._rows_of(id)
        if len(action) != len(rows):
            raise UsageError(f"step takes {len(rows)} actions, one an environment, not {len(action)}")
        if not self._running[rows].all():
            idle = rows[~self._running[rows]].tolist()
            raise UsageError(f"environments {idle} are done or not yet reset; reset them before they step")
        for row, one in zip(rows, action, strict=True):
            self.workers[row].check_action(one)
        for row, one in zip(rows, action, strict=True):
            self.workers[row].send_action(one)
        results = [self.workers[row].get_result() for row in rows]
        obs, rew, terminated, truncated, info = zip(*results, strict=True)
        ended, cut = np.asarray(terminated, np.bool_), np.asarray(truncated, np.bool_)
        over = ended | cut
        self._running[rows] = ~(over if over.ndim == 1 else over.all(axis=1))
        return _stack(list(obs)), np.asarray(rew, np.float64), ended, cut, _objects(list(info))

    def final_obs(self, id: Ids = None) -> Batch:
        """What every seat of the multi-agent environments of `id` sees now: `obs` [R, P, ...] and `mask` [R, P, A]."""
        return Batch.stack([Batch(view) for view in self.get_env_attr("final_obs", id)])

    def seed(self, seed: int | Sequence[int] | None = None) -> list[int | None]:
        """Use these seeds at the next `reset` of each environment; returns them."""
        self._require_open()
        seeds = seeds_for(seed, len(self))
        for worker, one in zip(self.workers, seeds, strict=True):
            worker.seed(one)
        return seeds

    def render(self) -> list[Any]:
        """What each environment renders."""
        self._require_open()
        return [worker.render() for worker in self.workers]

    def close(self) -> None:
        """Close every environment; a second time does nothing."""
        if not self.is_closed:
            self.is_closed = True
            for worker in self.workers:
                worker.close()

    def _rows_of(self, id: Ids) -> NDArray[np.int64]:
        rows = rows_of(id, len(self))
        if len(rows) == 0:
            raise UsageError("id is empty: there is no environment to answer")
        return rows

    def _require_open(self) -> None:
        if self.is_closed:
            raise UsageError("the vector environment is closed")


class DummyVectorEnv(BaseVectorEnv):
    """Environments stepped one after another in this process."""

    def __init__(self, env_fns: Sequence[Callable[[], Any]]):
        super().__init__(env_fns, DummyEnvWorker)


def _stack(observations: list[Any]) -> Any:
    if isinstance(observations[0], dict | Batch):
        return Batch.stack([Batch(obs) for obs in observations])
    return np.stack([np.asarray(obs) for obs in observations])


def _objects(values: list[Any]) -> NDArray[Any]:
    array = np.empty(len(values), object)
    array[:] = values
    return array
