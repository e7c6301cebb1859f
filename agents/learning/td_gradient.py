"""The loss of temporal-difference errors and its gradient by the Q-values of a network, in one pass over a batch."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from agents.learning.checks import action_without_output
from arena.base.errors import UsageError
from arena.data.batch import Batch
from games.engine.jit import njit

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
ALIKE = np.empty(0)
"""Weights of transitions that all count alike."""


class TDLoss(NamedTuple):
    """The loss of a batch of n transitions."""

    loss: float
    gradient: torch.Tensor
    """By the Q-values, [n, A]."""
    errors: Floats
    """Targets less Q-values of the actions taken, [n]."""


def td_loss(q: torch.Tensor, batch: Batch, huber: bool) -> TDLoss:
    """Return the loss between the Q-values [n, A] of the actions taken, which `fits_kernel`, and their `returns`.

    The mean square or, with `huber`, the mean Huber loss; weighted if the buffer is prioritized. Autograd takes ten
    operations and as many on its way back, which cost more than the network of a usual batch.

    Raises `UsageError` for an action that has no Q-value, or other numbers of rows.
    """
    act = np.asarray(batch.act, np.int64)
    target = batch.returns.numpy().ravel()
    weight = np.asarray(batch.weight, np.float64) if "weight" in batch else ALIKE
    if {len(act), len(target), len(weight) or len(act)} != {len(q)}:
        raise UsageError(f"the network gives {len(q)} rows of Q-values for {len(act)} transitions")
    gradient, errors = np.zeros(q.shape, np.float32), np.empty(len(q), np.float32)
    loss, known = write_td_gradient(q.detach().contiguous().numpy(), act, target, weight, huber, gradient, errors)
    if not known:
        raise action_without_output(f"the network gives {q.shape[1]} Q-values", act, q.shape[1])
    return TDLoss(loss, torch.from_numpy(gradient), errors)


@njit(cache=True, nogil=True)
def write_td_gradient(
    q: Floats, act: NDArray[np.int64], target: Floats, weight: Doubles, huber: bool, gradient: Floats, errors: Floats
) -> tuple[float, bool]:
    """Write the gradient of the loss by Q-values [n, A], zeros so far, and the errors [n].

    Returns the loss, and whether every action has a Q-value.
    """
    n, total = len(act), 0.0
    for row in range(n):
        if not 0 <= act[row] < q.shape[1]:
            return 0.0, False
        error = target[row] - q[row, act[row]]
        share = (weight[row] if len(weight) > 0 else 1.0) / n
        if huber:  # Nature 518, methods: the error is clipped to [-1, 1]
            slope = min(max(error, np.float32(-1)), np.float32(1))
            total += share * slope * (error - 0.5 * slope)
        else:
            slope = 2 * error
            total += share * error * error
        gradient[row, act[row]] = -share * slope
        errors[row] = error
    return total, True
