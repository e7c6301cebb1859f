"""One policy made of a policy for each seat, which share nothing."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch
from arena.policy.base import BasePolicy
from arena.policy.manager import MultiAgentPolicyManager


class SeatPolicies(MultiAgentPolicyManager):
    """Plays and learns every seat with a policy of that seat; itself it can hold any seats of a manager.

    Args:
        policies: one a seat.

    """

    learns = True

    def __init__(self, policies: Sequence[BasePolicy]):
        super().__init__(policies)

    def _held(self, batch: Batch) -> NDArray[np.int64]:
        """The seat of each row, whoever holds it in the manager that this one is a part of."""
        return np.asarray(batch.obs.agent_id)
