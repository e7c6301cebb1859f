"""An actor-critic whose critic says what every action will return, and for which a slow copy of the actor plays."""

from typing import Any, Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents import checks
from agents.actor_critic import ActorCriticOptions, ActorCriticPolicy
from agents.distributions import expectation
from agents.stochastic import answer
from agents.targets import frozen_copy, polyak
from arena.data.batch import Batch
from arena.policy.masking import bare_obs, legal_mask


class AveragedActorPolicy(ActorCriticPolicy):
    """Acts by its actor in training, and otherwise by a copy that follows the actor without the jitter of single steps.

    Args:
        actor: from observations to logits [n, A], and a hidden state.
        critic: from observations to what every action will return, [n, A].
        optim: optimizer of both; None for a policy that only plays.
        average_rate: part of the way to the actor that the copy goes at a time, 0 to 1.
        options: those of `ActorCriticPolicy`.

    """

    def __init__(
        self,
        actor: nn.Module,
        critic: nn.Module,
        optim: torch.optim.Optimizer | None,
        average_rate: float,
        **options: Unpack[ActorCriticOptions],
    ):
        super().__init__(actor, critic, optim, **options)
        checks.require_between(0, 1, average_rate=average_rate)
        self.average, self.average_rate = frozen_copy(actor), average_rate

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Logits [n, A] of the copy that plays."""
        logits: torch.Tensor = self.average(obs)[0]
        return logits

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw actions; adds `policy.logp`, `policy.value`, `policy.logits` [n, A] and `value`."""
        dist, q = self.dist_and_q(bare_obs(batch.obs), legal_mask(batch.obs))
        value = expectation(dist.probs, q)
        act = self.choose(dist)
        result = answer(act, dist, None)
        result.policy = Batch(logp=dist.log_prob(act), value=value, logits=dist.logits)
        result.value = value.numpy(force=True)
        return result

    def dist_and_q(self, obs: Any, mask: Any) -> tuple[Any, torch.Tensor]:
        """The distribution over actions, and what each of them will return, [n, A]."""
        actor = self.actor if self.training else self.average
        return self.distribution(actor(obs)[0], mask), self.critic(obs)

    @torch.no_grad()
    def values(self, obs: Any) -> NDArray[np.float64]:
        """What observations are worth if the policy goes on, [n]."""
        dist, q = self.dist_and_q(bare_obs(obs), legal_mask(obs))
        return expectation(dist.probs, q).numpy(force=True).astype(np.float64)

    def follow(self) -> None:
        """Let the copy go its part of the way to the actor."""
        polyak(self.average, self.actor, self.average_rate)
