"""Options of buffers, which all parts of a buffer share."""

from dataclasses import dataclass

import numpy as np

from arena.base.checks import require_at_least
from arena.base.errors import UsageError


@dataclass(frozen=True)
class BufferOptions:
    """Options of every buffer, explained in `ReplayBuffer`."""

    stack_num: int = 1
    ignore_obs_next: bool = False
    save_only_last_obs: bool = False
    sample_avail: bool = False
    pack_bits: bool = False

    def __post_init__(self) -> None:
        require_at_least(1, stack_num=self.stack_num)


@dataclass(frozen=True)
class PriorityOptions(BufferOptions):
    """Options of a prioritized buffer, explained in `PrioritizedReplayBuffer`."""

    alpha: float = 0.6
    beta: float = 0.4
    weight_norm: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.alpha < np.inf:
            raise UsageError(f"alpha={self.alpha} is not a number of at least 0")
        require_beta(self.beta)


def require_beta(beta: float) -> None:
    """Raise `UsageError` for an exponent that is negative or not finite."""
    if not 0 <= beta < np.inf:
        raise UsageError(f"beta={beta} is not a number of at least 0")
