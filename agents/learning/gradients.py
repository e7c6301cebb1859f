"""Gradient steps."""

from collections.abc import Iterable, Sequence

import torch
from torch.autograd.graph import _engine_run_backward

from arena.base.errors import UsageError


def descend(
    outputs: torch.Tensor | Sequence[torch.Tensor],
    optim: torch.optim.Optimizer | None,
    max_norm: float | None = None,
    gradients: Sequence[torch.Tensor] | None = None,
) -> dict[str, float]:
    """Take one optimizer step as `gradient_step` does.

    Returns `grad_norm`, the norm of the gradient before it is clipped, and `lr`, the learning rate.
    """
    norm = gradient_step(outputs, optim, max_norm, gradients)
    return {"grad_norm": norm.item(), "lr": learning_rate(optim)}


def learning_rate(optim: torch.optim.Optimizer | None) -> float:
    """Return the learning rate of an optimizer's first group; `UsageError` if there is no optimizer."""
    return float(_required(optim).param_groups[0]["lr"])


def gradient_step(
    outputs: torch.Tensor | Sequence[torch.Tensor],
    optim: torch.optim.Optimizer | None,
    max_norm: float | None = None,
    gradients: Sequence[torch.Tensor] | None = None,
) -> torch.Tensor:
    """Take one optimizer step down the gradient of a loss, clipped to the norm `max_norm`.

    `outputs` is the loss, or the outputs of networks by which the `gradients` of the loss are given. Returns the norm
    of the gradient before it is clipped, on its device, for which nobody has waited.

    Raises `UsageError` if there is no optimizer.
    """
    optim = _required(optim)
    parameters = [p for group in optim.param_groups for p in group["params"] if p.requires_grad]
    # of its own parameters alone: an actor's loss needs no gradient of the critics that it goes through
    own: Sequence[torch.Tensor | None]
    if gradients is None:
        own = torch.autograd.grad(outputs, parameters, allow_unused=True)
    else:
        own = _gradients_through(outputs, gradients, parameters)
    for parameter, gradient in zip(parameters, own, strict=True):
        if gradient is not None and gradient.stride() != parameter.stride():  # of a convolution on a GPU
            gradient = torch.empty_like(parameter).copy_(gradient)
        parameter.grad = gradient  # not added up, so that there is nothing to clear
    given = [gradient for gradient in own if gradient is not None]
    norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(given))) if given else torch.zeros(())
    if max_norm is not None:
        torch.nn.utils.clip_grads_with_norm_(parameters, max_norm, norm)
    optim.step()
    return norm


def _gradients_through(
    outputs: Iterable[torch.Tensor], gradients: Iterable[torch.Tensor], parameters: Iterable[torch.Tensor]
) -> Sequence[torch.Tensor | None]:
    """Return the gradients by parameters, given those by outputs; for outputs that do not learn they are not used.

    This is `torch.autograd.grad(outputs, parameters, gradients, allow_unused=True)` without its check of shapes, which
    loads sympy: 100 MB, and a second, of every process that learns.
    """
    learning = [pair for pair in zip(outputs, gradients, strict=True) if pair[0].requires_grad]
    own: Sequence[torch.Tensor | None] = _engine_run_backward(
        *zip(*learning, strict=True), False, False, tuple(parameters), allow_unreachable=True, accumulate_grad=False
    )
    return own


def _required(optim: torch.optim.Optimizer | None) -> torch.optim.Optimizer:
    if optim is None:
        raise UsageError("this policy has no optimizer: it plays, and cannot learn")
    return optim
