"""Shared parts of on-policy actor-critics: acting and values, generalised advantages, loss weights, configuration."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.learning import checks
from agents.learning.action_mapping import ActionMapping
from agents.learning.distributions import logits_of
from agents.learning.rollout_advantages import add_advantages, batch_of, update_scale
from agents.learning.stochastic import ActionSampler, ReturnScale, answer, scores_of
from agents.networks.discrete import actor_and_critic
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.base import BasePolicy
from arena.policy.masking import bare_obs, legal_mask
from arena.policy.packed import as_tensor
from arena.policy.rollout import Decision, Rollout

Values = Callable[[Any], NDArray[np.float64]]
"""Maps observations to their values, [n]."""


@dataclass(frozen=True)
class AdvantageEstimator:
    """Generalised advantage estimation (Schulman et al. 2016, arXiv 1506.02438) of collected transitions."""

    discount_factor: float
    """Gamma per own step, 0 to 1."""
    gae_lambda: float
    """Lambda, 0 to 1."""
    normalizes: bool = False
    """Scale all collected advantages to mean 0 and standard deviation 1."""

    def process(
        self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64], values: Values, scale: ReturnScale | None
    ) -> Batch:
        """Add advantages `adv` and `returns` [n] to all collected transitions, in order of time.

        `values` evaluates next observations; with a `scale`, returns are divided by their running standard deviation.
        """
        if "logp" not in batch.get("policy", ()):
            raise UsageError("these transitions lack policy.logp and policy.value: random actions, or another policy's")
        batch.logp_old, batch.v_s = np.asarray(batch.policy.logp), np.asarray(batch.policy.value, np.float64)
        self.add_advantages(batch, buffer, indices, values, scale)
        if scale is not None:
            scale.update(self._collected_returns(batch, buffer, indices))
        if self.normalizes:
            batch.adv = (batch.adv - batch.adv.mean()) / (batch.adv.std() + 1e-8)
        return batch

    def add_advantages(
        self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64], values: Values, scale: ReturnScale | None
    ) -> None:
        """Add advantages and returns by the values `v_s` of the observations.

        The value of a next observation is that of the following transition; only where none follows is it computed.
        """
        v_s_ = np.append(batch.v_s[1:], 0.0)  # V(s'), [n]
        # rows are in order of time; `follows` [n]: the next row continues the same episode of the same seat
        follows = np.append(indices[1:] == buffer.next(indices)[:-1], False)
        bootstrap = np.flatnonzero(~follows & ~batch.terminated)
        if len(bootstrap):
            v_s_[bootstrap] = values(batch.obs_next[bootstrap])
        unit = 1.0 if scale is None else scale.std
        batch.returns, batch.adv = BasePolicy.compute_episodic_return(
            batch, buffer, indices, v_s_ * unit, batch.v_s * unit, self.discount_factor, self.gae_lambda
        )
        batch.returns = batch.returns / unit  # the critic predicts scaled returns, advantages keep the unit of rewards

    def _collected_returns(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the discounted sums of the rewards that were collected, [n].

        A scale of returns that are bootstrapped from values would be one of itself: where no episode terminates, too
        large a value makes larger returns, these a larger scale, and that again a larger value, without a bound.
        """
        return BasePolicy.compute_episodic_return(batch, buffer, indices, gamma=self.discount_factor, gae_lambda=1.0)[0]


class AdvantageOptions(Protocol):
    """A config with the options of generalised advantages."""

    @property
    def discount_factor(self) -> float:
        """Gamma per own step."""

    @property
    def gae_lambda(self) -> float:
        """Lambda."""

    @property
    def reward_normalization(self) -> bool:
        """Divide returns by their running standard deviation."""

    @property
    def max_batchsize(self) -> int:
        """Observations per forward pass when values are computed."""


class ActorCriticLearner(nn.Module):
    """Abstract mix-in for `BasePolicy`: the common part of on-policy actor-critics.

    Log-probabilities and values are stored when an action is taken, so that ratios and advantages are those of the
    policy that acted. An algorithm is `class PPOPolicy(ActorCriticLearner, BasePolicy)` and defines `learn`.

    Args:
        actor: maps observations to scores [n, A], or to means and deviations [n, k]; and a hidden state.
        critic: maps observations to values [n, 1].
        optim: optimizer of both, or of the critic; None for a policy that only plays.
        config: the options of the algorithm.
        sampler: draws the actions.
        mapping: spaces, and how actions are mapped to theirs.

    """

    def __init__(
        self,
        actor: nn.Module,
        critic: nn.Module,
        optim: torch.optim.Optimizer | None,
        config: AdvantageOptions,
        sampler: ActionSampler,
        mapping: ActionMapping,
    ):
        super().__init__(*mapping.of_policy)  # of BasePolicy, which comes next
        checks.require_flat(self, mapping.action_space)
        self.actor, self.optim = actor, optim
        self.return_scale = ReturnScale() if config.reward_normalization else None
        self.critic = critic
        self.sampler, self.max_batchsize = sampler, config.max_batchsize
        self.advantages = AdvantageEstimator(config.discount_factor, config.gae_lambda)

    def reset(self, seed: int | None = None) -> None:
        """Restart the random stream of actions and minibatches if a seed is given."""
        self.sampler.reset(seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw actions; adds `policy.logp`, `policy.value` and `value` to the output of `answer`."""
        mask = legal_mask(batch.obs)
        scores, value, hidden = self.scores_and_values(bare_obs(batch.obs), state)
        dist = self.sampler.distribution(scores, mask)
        act, logp = self.sampler.choose_with_log_probability(scores, mask, self.training, dist)
        result = answer(act, dist, hidden)
        result.policy = Batch(logp=logp, value=value)
        result.value = value.numpy(force=True)
        return result

    def scores_and_values(self, obs: Any, state: Any) -> tuple[Any, torch.Tensor, Any]:
        """Return the scores of observations, their values [n], and the hidden state, for acting."""
        return actor_and_critic(self.actor, self.critic, obs, state)

    def decide(self, obs: torch.Tensor, mask: torch.Tensor | None) -> Decision:
        """Draw an action for each row of observations [n, *O], of the legal ones `mask` [n, A], on their device."""
        self.sampler.draw_on(obs.device)
        scores, value, _ = self.scores_and_values(obs, None)
        return Decision(*self.sampler.choose_with_log_probability(scores, mask, self.training), value)

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Return logits or probabilities [n, A], or means [n, k]."""
        return scores_of(self.actor, obs)

    def logits_and_values(self, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logits [n, A] and values [n] of observations, which can guide a search."""
        return logits_and_values(self.actor, self.critic, obs)

    def values(self, obs: Any) -> NDArray[np.float64]:
        """Return the critic's values of observations, [n]."""
        return self.value_tensor(obs).numpy(force=True)

    @torch.no_grad()
    def value_tensor(self, obs: Any) -> torch.Tensor:
        """Return the critic's values of observations as a tensor on their device, float64 [n]."""
        size = self.max_batchsize
        parts = (as_tensor(bare_obs(obs[start : start + size])) for start in range(0, len(obs), size))
        return torch.cat([self.critic(part).squeeze(-1) for part in parts]).double()

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add advantages `adv` and `returns` [n] to all collected transitions, in order of time."""
        return self.advantages.process(batch, buffer, indices, self.values, self.return_scale)

    def process_rollout(self, rollout: Rollout) -> Batch:
        """Return the transitions of a rollout with what `process_fn` adds."""
        batch, scale = batch_of(rollout), self.return_scale
        self.add_rollout_advantages(batch, rollout)
        if scale is not None:
            update_scale(scale, rollout, self.advantages.discount_factor)
        if self.advantages.normalizes:
            deviation, mean = torch.std_mean(batch.adv, correction=0)
            batch.adv = (batch.adv - mean) / (deviation + 1e-8)
        return batch

    def add_rollout_advantages(self, batch: Batch, rollout: Rollout) -> None:
        """Add advantages `adv` and `returns` [N] to the batch of a rollout, by the values `v_s`."""
        decay = self.advantages.discount_factor, self.advantages.gae_lambda
        add_advantages(batch, rollout, self.value_tensor, self.return_scale, decay)


def logits_and_values(actor: nn.Module, critic: nn.Module, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the logits [n, A] and values [n] of observations, in float32."""
    scores, value, _ = actor_and_critic(actor, critic, obs)
    return logits_of(actor, scores.float()), value.float()
