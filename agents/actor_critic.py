"""What on-policy actor-critics share: values, generalised advantages, minibatches, bounded gradient steps."""

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents import checks
from agents.distributions import log_probability
from agents.gradients import descend
from agents.networks.discrete import actor_and_critic
from agents.stochastic import DistFn, Minibatch, OnPolicyConfig, StochasticOptions, StochasticPolicy, answer
from arena.config import require_above, require_at_least, require_between
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.errors import UsageError
from arena.policy.kinds import Spaces
from arena.policy.masking import bare_obs, legal_mask

Figures = dict[str, list[float]]
"""Figures of gradient steps, by name."""


class ActorCriticOptions(StochasticOptions, total=False):
    """What every actor-critic takes besides its networks; see `ActorCriticPolicy`."""

    vf_coef: float
    ent_coef: float
    max_grad_norm: float | None
    gae_lambda: float
    max_batchsize: int


class ActorCriticPolicy(StochasticPolicy):
    """A stochastic policy beside a critic of states.

    Log-probabilities and values are stored when an action is taken, so that ratios and advantages are those of the
    policy that acted.

    Args:
        actor: from observations to scores, as the model of a `StochasticPolicy`.
        critic: from observations to values [n, 1].
        optim: optimizer of both; None for a policy that only plays.
        dist_fn: as in `StochasticPolicy`.
        vf_coef: weight of the value loss.
        ent_coef: weight of the entropy bonus.
        max_grad_norm: largest norm of the gradient, None for no limit.
        gae_lambda: lambda of generalised advantage estimation.
        max_batchsize: observations a forward pass when values are computed.
        options: those of `StochasticPolicy`.

    """

    def __init__(
        self,
        actor: nn.Module,
        critic: nn.Module,
        optim: torch.optim.Optimizer | None,
        dist_fn: DistFn | None = None,
        vf_coef: float = 0.5,
        ent_coef: float = 0.01,
        max_grad_norm: float | None = None,
        gae_lambda: float = 0.95,
        max_batchsize: int = 256,
        **options: Unpack[StochasticOptions],
    ):
        super().__init__(actor, optim, dist_fn, **options)
        checks.require_between(0, 1, gae_lambda=gae_lambda)
        checks.require_above(0, max_grad_norm=max_grad_norm)
        checks.require_at_least(0, vf_coef=vf_coef, ent_coef=ent_coef)
        checks.require_at_least(1, max_batchsize=max_batchsize)
        self.critic = critic
        self.vf_coef, self.ent_coef, self.max_grad_norm = vf_coef, ent_coef, max_grad_norm
        self.gae_lambda, self.max_batchsize = gae_lambda, max_batchsize

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw actions; adds `policy.logp`, `policy.value` and `value` to what a `StochasticPolicy` gives."""
        scores, value, hidden = actor_and_critic(self.actor, self.critic, bare_obs(batch.obs), state)
        dist = self.distribution(scores, legal_mask(batch.obs))
        act = self.choose(dist)
        result = answer(act, dist, hidden)
        result.policy = Batch(logp=log_probability(dist, act), value=value)
        result.value = value.numpy(force=True)
        return result

    # --- advantages ---------------------------------------------------------------------------------------------

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add advantages `adv` and `returns` [n] to everything that was collected, in the order of time."""
        if "logp" not in batch.get("policy", ()):
            raise UsageError("these transitions lack policy.logp and policy.value: random actions, or another policy's")
        batch.logp_old, batch.v_s = np.asarray(batch.policy.logp), np.asarray(batch.policy.value, np.float64)
        self.add_advantages(batch, buffer, indices)
        return batch

    def add_advantages(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> None:
        """Values of next observations are those of the following transitions, computed only where none follows."""
        v_s_ = np.append(batch.v_s[1:], 0.0)
        follows = np.append(indices[1:] == buffer.next(indices)[:-1], False)
        bootstrap = np.flatnonzero(~follows & ~batch.terminated)
        if len(bootstrap):
            v_s_[bootstrap] = self.values(batch.obs_next[bootstrap])
        scale = 1.0 if self.return_scale is None else self.return_scale.std
        batch.returns, batch.adv = self.compute_episodic_return(
            batch, buffer, indices, v_s_ * scale, batch.v_s * scale, self.gamma, self.gae_lambda
        )
        if self.return_scale is not None:
            self.return_scale.update(batch.returns)
            batch.returns = batch.returns / scale

    @torch.no_grad()
    def values(self, obs: Any) -> NDArray[np.float64]:
        """What the critic says of observations, [n]."""
        parts = [bare_obs(obs[i : i + self.max_batchsize]) for i in range(0, len(obs), self.max_batchsize)]
        return torch.cat([self.critic(part).squeeze(-1) for part in parts]).numpy(force=True).astype(np.float64)

    # --- learning -----------------------------------------------------------------------------------------------

    def look(self, data: Minibatch) -> tuple[Any, torch.Tensor]:
        """The distribution over actions, and values [n]."""
        scores, value, _ = actor_and_critic(self.actor, self.critic, data["obs"])
        return self.distribution(scores, data.get("mask")), value

    def descend(self, loss: torch.Tensor) -> None:
        """One step of the optimizer, down the gradient of a loss."""
        descend(loss, self.optim, self.max_grad_norm)


@dataclass(frozen=True)
class ActorCriticConfig(OnPolicyConfig):
    """What actor-critics are told whose losses are added up."""

    gae_lambda: float = 0.95
    """Lambda of generalised advantage estimation, 0 to 1."""
    value_weight: float = 0.5
    """Weight of the value loss."""
    entropy_weight: float = 0.01
    """Weight of the entropy bonus."""
    max_grad_norm: float = 0.5
    """Largest norm of the gradient."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(self, 0, "max_grad_norm")
        require_at_least(self, 0, "value_weight", "entropy_weight")
        require_between(self, 0, 1, "gae_lambda")

    def options(self, spaces: Spaces) -> ActorCriticOptions:
        """Options of the policy for these spaces."""
        return {
            **super().options(spaces),
            "vf_coef": self.value_weight,
            "ent_coef": self.entropy_weight,
            "max_grad_norm": self.max_grad_norm,
            "gae_lambda": self.gae_lambda,
            "max_batchsize": 4096,
        }
