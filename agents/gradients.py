"""Gradient steps."""

import torch
from torch import nn

from arena.errors import UsageError


def descend(loss: torch.Tensor, optim: torch.optim.Optimizer | None, max_norm: float | None = None) -> None:
    """One step of an optimizer down the gradient of a loss, of norm `max_norm` at most over all its parameters.

    Raises `UsageError` where there is no optimizer.
    """
    if optim is None:
        raise UsageError("this policy has no optimizer: it plays, and cannot learn")
    parameters = [p for group in optim.param_groups for p in group["params"]]
    optim.zero_grad()
    # of its own parameters alone: an actor's loss needs no gradient of the critics that it goes through
    loss.backward(inputs=parameters)  # type: ignore[no-untyped-call]  # torch leaves it untyped
    if max_norm is not None:
        nn.utils.clip_grad_norm_(parameters, max_norm)
    optim.step()
