"""Open transitions: what each agent did last, until it is known what came of it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch
from arena.data.rows import write_rows

Ints = NDArray[np.int64]


class OpenTransitions:
    """At most one open transition for each of B environments and P seats.

    A transition opens when its agent acts. Until it closes, it earns whatever its agent earns. It closes with the
    agent's own next observation: when the agent is next asked to act, or when its episode ends.
    """

    def __init__(self, num_envs: int, num_agents: int):
        self._num_agents = num_agents
        self.is_open = np.zeros((num_envs, num_agents), np.bool_)
        self._rew = np.zeros((num_envs, num_agents))
        self._rows = Batch()  # what was known when the transition opened, one row a pair of environment and seat

    def open(self, env_ids: Ints, seats: Ints, rows: Batch) -> None:
        """Open a transition for each pair, with `rows` (obs, act, info, policy) [n]."""
        self.is_open[env_ids, seats] = True
        self._rew[env_ids, seats] = 0.0
        write_rows(self._rows, rows, env_ids * self._num_agents + seats, self.is_open.size)

    def earn(self, env_ids: Ints, rew: NDArray[Any]) -> None:
        """Count rewards [n, P] towards the open transitions of these environments."""
        self._rew[env_ids] += rew

    def close(self, env_ids: Ints, seats: Ints, obs_next: Any, terminated: Any, truncated: Any) -> Batch:
        """Close the open transition of each pair; returns them, complete, as rows for a buffer."""
        rows: Batch = self._rows[env_ids * self._num_agents + seats]
        rows.rew = self._rew[env_ids, seats]
        rows.terminated, rows.truncated, rows.obs_next = terminated, truncated, obs_next
        self.is_open[env_ids, seats] = False
        return rows

    def forget(self, env_ids: Ints) -> None:
        """Drop the open transitions of these environments."""
        self.is_open[env_ids] = False

    def arrays(self) -> Batch:
        """Everything, as arrays, to be saved."""
        return Batch(is_open=self.is_open, rew=self._rew, rows=self._rows)

    def restore(self, arrays: Batch) -> None:
        """Take over what `arrays` gave."""
        self.is_open, self._rew, self._rows = arrays.is_open, arrays.rew, arrays.get("rows", Batch())
