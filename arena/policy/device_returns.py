"""Returns and advantages on a CUDA device: `arena.policy.returns` with a thread a trajectory, or a place.

Needs numba-cuda (extra `cuda`), so it is imported where a device is asked for.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from numba import cuda
from torch import Tensor

from arena.base.device_memory import as_argument, memory, stream
from arena.data.buffer.ring import ring_of
from arena.policy.returns import Floats, Ints, Rewards, Steps, gae_between, n_step_from
from games.engine.device import DeviceKernel


class Estimates(NamedTuple):
    """Returns and advantages of T transitions, float64 [T] each."""

    returns: Floats
    advantage: Floats


@cuda.jit
def gae(steps: Steps, bounds: Ints, decay: tuple[float, float], estimates: Estimates) -> None:
    """Write the estimates of K stretches of transitions, [bounds[k], bounds[k + 1]).

    Each ends where a trajectory ends or is cut off, as those of one ring of a buffer do.
    """
    k = cuda.grid(1)
    if k < bounds.shape[0] - 1:
        gae_between(bounds[k], bounds[k + 1], steps, decay, estimates.returns, estimates.advantage)


@cuda.jit
def n_step(index: Ints, n: int, gamma: float, buffer: Rewards, total: Floats, last: Ints, discount: Floats) -> None:
    """Write for each place of `index` [I] what `arena.policy.returns.n_step` returns, [I] each."""
    i = cuda.grid(1)
    if i < index.shape[0]:
        place = index[i]
        total[i], last[i], discount[i] = n_step_from(place, ring_of(place, buffer.edges), n, gamma, buffer)


_NUMBERS, _FLAGS, _PLACES = np.zeros(1), np.zeros(1, np.bool_), np.zeros(1, np.int64)
_STEPS = Steps(_NUMBERS, _NUMBERS, _NUMBERS, _FLAGS, _PLACES, _FLAGS, _FLAGS)
_GAE = DeviceKernel(gae, (_STEPS, _PLACES, (0.0, 0.0), Estimates(_NUMBERS, _NUMBERS)))


def gae_of_tensors(steps: Any, bounds: Tensor, decay: tuple[float, float]) -> tuple[Tensor, Tensor]:
    """Return what `gae` writes, for `Steps` and bounds that are tensors on the device."""
    tensors: Any = Estimates  # of tensors in place of arrays
    estimates = tensors(torch.empty_like(steps.rew), torch.empty_like(steps.rew))
    _GAE.launch(len(bounds) - 1, stream(), as_argument(steps), memory(bounds), decay, as_argument(estimates))
    return estimates.returns, estimates.advantage
