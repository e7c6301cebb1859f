"""Natural policy gradient (Kakade 2001, NIPS 14).

The actor steps along F^-1 g: the policy gradient g in the metric F of the policy itself, the Fisher matrix, so that a
step means the same however the policy is parametrised. The critic is fitted to the returns.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import Unpack

import torch
from torch import nn
from torch.distributions import kl_divergence

from agents import checks
from agents.actor_critic import ActorCriticOptions, Figures
from agents.natural_gradient import (
    NaturalGradientConfig,
    NaturalGradientPolicy,
    assign,
    conjugate_gradient,
    fisher_product,
    flat,
    slope,
)
from agents.networks.builders import actor_critic_for
from agents.stochastic import DistFn
from arena.config import require_above
from arena.data.batch import Batch
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces


class NPGPolicy(NaturalGradientPolicy):
    """Natural policy gradient.

    Args:
        actor: as in `NaturalGradientPolicy`.
        critic: as in `NaturalGradientPolicy`.
        optim: optimizer of the critic; None for a policy that only plays.
        dist_fn: as in `StochasticPolicy`.
        advantage_normalization: as in `NaturalGradientPolicy`.
        optim_critic_iters: as in `NaturalGradientPolicy`.
        actor_step_size: length of a step, in units of the natural gradient.
        options: those of `ActorCriticPolicy`.

    """

    def __init__(
        self,
        actor: nn.Module,
        critic: nn.Module,
        optim: torch.optim.Optimizer | None,
        dist_fn: DistFn | None = None,
        advantage_normalization: bool = True,
        optim_critic_iters: int = 5,
        actor_step_size: float = 0.5,
        **options: Unpack[ActorCriticOptions],
    ):
        super().__init__(actor, critic, optim, dist_fn, advantage_normalization, optim_critic_iters, **options)
        checks.require_above(0, actor_step_size=actor_step_size)
        self.actor_step_size = actor_step_size

    def learn(self, batch: Batch, batch_size: int, repeat: int) -> Figures:
        """Go `repeat` times through the batch in random minibatches of about `batch_size`; figures of each step."""
        figures: Figures = defaultdict(list)
        data = self.tensors(batch, "adv", "returns", "logp_old")
        parameters = list(self.actor.parameters())
        for _ in range(repeat):
            for part in self.minibatches(data, batch_size):
                with torch.no_grad():
                    before, _ = self.surrogate(part)
                dist, loss = self.surrogate(part)
                gradient = slope(loss, parameters)
                fisher = fisher_product(kl_divergence(before, dist).mean(), parameters, self.damping)
                # section 2: theta <- theta + alpha F(theta)^-1 grad eta(theta)
                step = -self.actor_step_size * conjugate_gradient(fisher, gradient, self.iterations)
                assign(parameters, flat(parameters).detach() + step)
                with torch.no_grad():
                    after, _ = self.surrogate(part)
                figures["loss/actor"].append(loss.item())
                figures["loss/vf"].append(self.fit_critic(part))
                figures["kl"].append(kl_divergence(before, after).mean().item())
        return dict(figures)


@dataclass(frozen=True)
class NPGConfig(NaturalGradientConfig):
    """How the natural policy gradient learns."""

    actor_step_size: float = 0.5
    """Length of a step, in units of the natural gradient."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(self, 0, "actor_step_size")


def build(spaces: Spaces, config: NPGConfig, training: bool) -> NPGPolicy:
    """A natural policy gradient policy, with an optimizer of its critic if it is to be trained."""
    actor, critic = actor_critic_for(spaces, config.hidden, config.channels, shared=False)
    return NPGPolicy(
        actor,
        critic,
        config.optimizer(critic, training),
        advantage_normalization=config.normalize_advantages,
        optim_critic_iters=config.critic_iterations,
        actor_step_size=config.actor_step_size,
        gae_lambda=config.gae_lambda,
        max_batchsize=4096,
        **config.options(spaces),
    )


ALGORITHM = Algorithm(NPGConfig, build, "on-policy", "NIPS 14 (2001)", ("discrete", "continuous"))
AGENT = AgentKind("natural policy gradient", partial(load_policy, "npg", ALGORITHM), "DIR", ALGORITHM)
