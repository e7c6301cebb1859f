"""Map from environment and seat to the sub-buffer of their transitions."""

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.data.buffer.base import ReplayBuffer
from arena.data.buffer.manager import VectorReplayBuffer

Ints = NDArray[np.int64]


class SubBuffers:
    """Assigns sub-buffers in B environments: one for each of the P seats that is stored."""

    def __init__(self, num_envs: int, num_agents: int, seats: Ints):
        self.num_envs, self.num_seats = num_envs, len(seats)
        self._slot = np.full(num_agents, -1, np.int64)  # which of an environment's sub-buffers a seat has
        self._slot[seats] = np.arange(len(seats))

    def fitting(self, buffer: ReplayBuffer | None) -> ReplayBuffer:
        """Return the buffer, or a small one if there is none; `UsageError` if it has too few sub-buffers."""
        needed = self.num_envs * self.num_seats
        if buffer is None:
            return VectorReplayBuffer(max(needed, 1), max(needed, 1))
        if buffer.buffer_num < needed:
            raise UsageError(
                f"the buffer has {buffer.buffer_num} sub-buffers; {self.num_envs} environments with {self.num_seats} "
                f"learning seats need {needed}: VectorReplayBuffer(total_size, {needed})"
            )
        return buffer

    def has(self, seats: Ints) -> NDArray[np.bool_]:
        """Return whether each of these seats is stored."""
        return self._slot[seats] >= 0

    def of(self, env_ids: Ints, seats: Ints) -> Ints:
        """Return the sub-buffer of each pair of environment and stored seat."""
        return env_ids * self.num_seats + self._slot[seats]
