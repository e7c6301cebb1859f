"""Generalised advantages of rollouts: what `AdvantageEstimator` does with a buffer, on tensors of one device."""

from collections.abc import Callable
from typing import Any

import torch

from agents.learning.stochastic import ReturnScale
from arena.data.batch import Batch
from arena.policy.rollout import Rollout, gae

TensorValues = Callable[[Any], torch.Tensor]
"""Maps observations to their values, float64 [n]."""


def batch_of(rollout: Rollout) -> Batch:
    """Return a rollout as the transitions that `learn` takes, with the values and log-probabilities of who acted."""
    observation = Batch(obs=rollout.obs, mask=rollout.mask)
    act, logp, value = rollout.decision
    return Batch(obs=observation, act=act, logp_old=logp, v_s=value.double())


def add_advantages(
    batch: Batch, rollout: Rollout, values: TensorValues, scale: ReturnScale | None, decay: tuple[float, float]
) -> None:
    """Add advantages `adv` and `returns` [N] to the batch of a rollout, by the values `v_s` of its observations.

    `values` evaluates next observations that are no row's own; `decay` are gamma and lambda. With a `scale`, values and
    returns are in its unit, and advantages in that of rewards.
    """
    unit = 1.0 if scale is None else scale.std
    cut_value = values(rollout.obs_next) if len(rollout.cut) else batch.v_s[:0]
    returns, batch.adv = gae(rollout, batch.v_s * unit, decay, cut_value * unit)
    batch.returns = returns / unit


def update_scale(scale: ReturnScale, rollout: Rollout, discount: float) -> None:
    """Include the discounted sums of the rewards that were collected."""
    none = torch.zeros_like(rollout.rew)
    returns, _ = gae(rollout, none, (discount, 1.0), none[: len(rollout.cut)])
    scale.update(returns.numpy(force=True))
