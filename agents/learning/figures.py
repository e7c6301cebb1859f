"""Figures of gradient steps, by which a training is judged while it runs."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import torch
from numpy.typing import NDArray

from arena.data.batch import Batch

Figures = dict[str, list[float]]
"""Figures of the gradient steps, by name."""


def new_figures(batch: Batch) -> Figures:
    """Return the figures of an update before its first step.

    They have `explained_variance` if the batch has the values `v_s` by which advantages were estimated.
    """
    figures: Figures = defaultdict(list)
    if "v_s" in batch:
        figures["explained_variance"].append(explained_variance(batch.v_s, batch.returns))
    return figures


def note(figures: Figures, step: dict[str, float]) -> None:
    """Add the figures of one gradient step."""
    for name, value in step.items():
        figures[name].append(value)


def detached(step: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return the figures of a gradient step without the way in which they were computed, which takes memory."""
    return {name: value.detach() for name, value in step.items()}


def in_numbers(steps: Sequence[dict[str, torch.Tensor]]) -> Figures:
    """Return figures of gradient steps, each a number of type float32, after reading all from their device at once."""
    if not steps:
        return {}
    table = torch.stack([torch.stack(tuple(step.values())) for step in steps])
    return dict(zip(steps[0], table.t().tolist(), strict=True))


def approximate_kl(log_ratio: torch.Tensor) -> torch.Tensor:
    """Return the divergence of a new policy from the old by log-ratios [n] of their chances of the old one's actions.

    The mean of (r - 1) - log r over the ratios r: unbiased, never negative (Schulman 2020, "Approximating KL
    Divergence").
    """
    log_ratio = log_ratio.detach()
    return log_ratio.expm1().sub_(log_ratio).mean()


def clip_fraction(ratio: torch.Tensor, eps_clip: float) -> torch.Tensor:
    """Return the share of ratios [n] outside 1 ± `eps_clip`, which the clipped objective limits."""
    outside = (ratio.detach() - 1).abs_() > eps_clip
    return outside.float().mean()


def explained_variance(values: NDArray[Any] | torch.Tensor, returns: NDArray[Any] | torch.Tensor) -> float:
    """Return 1 - Var[returns - values] / Var[returns]: 1 for a perfect critic, 0 for a constant one.

    Of returns that are all alike it is 0.
    """
    total, left = (torch.as_tensor(array).var(correction=0).item() for array in (returns, returns - values))
    return 1.0 - left / total if total > 0 else 0.0


def mean_entropy(dist: Any) -> dict[str, float]:
    """Return `entropy`, the mean of a distribution's; nothing where torch has no formula for it."""
    with suppress(NotImplementedError):
        return {"entropy": dist.entropy().mean().item()}
    return {}
