"""`Restarts`: replacement of failed environments, so that a run can continue."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from arena.data.batch import Batch
from arena.env.workers.base import EnvWorker, ResetResult, StepResult
from arena.env.workers.errors import WorkerError


class Restarts:
    """Replaces failed environments, and truncates their episodes at the last observation.

    Args:
        workers: hold the environments.
        num_agents: P, how many seats each has; 0 for single-agent ones, whose rewards and ends are no arrays.

    """

    def __init__(self, workers: Sequence[EnvWorker], num_agents: int):
        self._workers, self._num_agents = workers, num_agents
        self._obs: list[Any] = [None] * len(workers)
        self._views: list[dict[int, Any]] = [{} for _ in workers]  # of each seat that has been asked
        self._cut = np.zeros(len(workers), np.bool_)  # whose episodes ended here, until they are reset
        self.count = 0
        """Failures so far."""

    def record_reset(self, row: int, obs: Any) -> None:
        """Record that environment `row` was reset and returned `obs`."""
        self._cut[row] = False
        self._views[row] = {}
        self.record_observation(row, obs)

    def record_observation(self, row: int, obs: Any) -> None:
        """Record the latest observation `obs` of environment `row`."""
        self._obs[row] = obs
        if self._num_agents:
            self._views[row][int(obs["agent_id"])] = obs

    def reset(self, row: int, error: Exception, seed: int | None, options: dict[str, Any] | None) -> ResetResult:
        """Replace an environment whose reset failed, and reset it again; errors of the second reset are raised."""
        self._restart(row, error)
        return self._workers[row].reset(seed, options)

    def end(self, row: int, error: Exception) -> StepResult:
        """Return the last step of an interrupted episode: reward 0, truncated, the reason in the info."""
        reason = self._restart(row, error)
        self._cut[row] = True
        obs, info, agents = self._obs[row], {"restarted": reason}, self._num_agents
        if not agents:
            return obs, 0.0, False, True, info
        return obs, np.zeros(agents), np.zeros(agents, np.bool_), np.ones(agents, np.bool_), info

    def _restart(self, row: int, error: Exception) -> str:
        """Replace the environment; return the reason in words."""
        self.count += 1
        worker = self._workers[row]
        reason = (
            str(error) if isinstance(error, WorkerError) else f"{worker.name} raised {type(error).__name__}: {error}"
        )
        warnings.warn(f"restarted: {reason}", RuntimeWarning, stacklevel=2)
        worker.restart()
        return reason

    def final_obs(self, row: int) -> Batch | None:
        """Return the last views of the seats in an ended episode, `obs` [P, ...] and `mask` [P, A]; None for others.

        For a seat that never acted, observations are zeros and all actions are legal.
        """
        if not self._cut[row]:
            return None
        views = {seat: Batch(obs=view["obs"], mask=view["mask"]) for seat, view in self._views[row].items()}
        never = Batch(next(iter(views.values())), copy=True).empty_()
        never.mask[...] = True
        return Batch.stack([views.get(seat, never) for seat in range(self._num_agents)])
