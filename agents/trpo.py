"""Trust region policy optimisation (Schulman et al. 2015, arXiv 1502.05477).

The largest step along the natural gradient for which the new policy stays within a divergence of the old one: taken
from a quadratic model, then shortened until the true surrogate and divergence agree.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Unpack

import torch
from torch import nn
from torch.distributions import kl_divergence

from agents import checks
from agents.actor_critic import Figures
from agents.natural_gradient import (
    NaturalGradientConfig,
    NaturalGradientOptions,
    NaturalGradientPolicy,
    assign,
    conjugate_gradient,
    fisher_product,
    flat,
    slope,
)
from agents.networks.builders import actor_critic_for
from agents.stochastic import DistFn, Minibatch
from arena.config import require_above, require_at_least, require_between
from arena.data.batch import Batch
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces


class TRPOPolicy(NaturalGradientPolicy):
    """TRPO.

    Args:
        actor: as in `NaturalGradientPolicy`.
        critic: as in `NaturalGradientPolicy`.
        optim: optimizer of the critic; None for a policy that only plays.
        dist_fn: as in `StochasticPolicy`.
        max_kl: largest mean divergence of the new policy from the old (delta of equation 14).
        backtrack_coeff: factor between two steps of the line search, between 0 and 1.
        max_backtracks: steps that are tried.
        options: those of `NaturalGradientPolicy`.

    """

    def __init__(
        self,
        actor: nn.Module,
        critic: nn.Module,
        optim: torch.optim.Optimizer | None,
        dist_fn: DistFn | None = None,
        max_kl: float = 0.01,
        backtrack_coeff: float = 0.8,
        max_backtracks: int = 10,
        **options: Unpack[NaturalGradientOptions],
    ):
        super().__init__(actor, critic, optim, dist_fn, **options)
        checks.require_above(0, max_kl=max_kl)
        checks.require_between(0, 1, backtrack_coeff=backtrack_coeff)
        checks.require_at_least(1, max_backtracks=max_backtracks)
        self.max_kl, self.backtrack_coeff, self.max_backtracks = max_kl, backtrack_coeff, max_backtracks

    def learn(self, batch: Batch, batch_size: int, repeat: int) -> Figures:
        """Go `repeat` times through the batch in random minibatches of about `batch_size`; figures of each step."""
        figures: Figures = defaultdict(list)
        data = self.tensors(batch, "adv", "returns", "logp_old")
        for _ in range(repeat):
            for part in self.minibatches(data, batch_size):
                loss, step_size, kl = self._step_actor(part)
                figures["loss/actor"].append(loss)
                figures["loss/vf"].append(self.fit_critic(part))
                figures["step_size"].append(step_size)
                figures["kl"].append(kl)
        return dict(figures)

    def _step_actor(self, part: Minibatch) -> tuple[float, float, float]:
        """One step within the trust region; the loss before it, its size and the divergence it made."""
        parameters = list(self.actor.parameters())
        with torch.no_grad():
            before, _ = self.surrogate(part)
        dist, loss = self.surrogate(part)
        gradient = slope(loss, parameters)
        fisher = fisher_product(kl_divergence(before, dist).mean(), parameters, self.damping)
        direction = -conjugate_gradient(fisher, gradient, self.iterations)
        # appendix C: the beta for which the quadratic model of the divergence, beta^2 s^T F s / 2, is delta
        beta = float((2 * self.max_kl / (direction @ fisher(direction)).clamp(min=1e-12)).sqrt())
        start = flat(parameters).detach()

        def outcome(step_size: float) -> tuple[float, float]:
            assign(parameters, start + step_size * direction)
            with torch.no_grad():
                after, loss = self.surrogate(part)
                return loss.item(), kl_divergence(before, after).mean().item()

        step_size, kl = line_search(outcome, loss.item(), self.max_kl, beta, self.backtrack_coeff, self.max_backtracks)
        return loss.item(), step_size, kl


def line_search(
    outcome: Callable[[float], tuple[float, float]],
    loss: float,
    max_kl: float,
    step_size: float,
    coefficient: float,
    tries: int,
) -> tuple[float, float]:
    """The first of the steps b, c b, c^2 b, ... that lowers the loss with a divergence of at most `max_kl`.

    `outcome` takes a step and gives its loss and divergence. Returns the step with its divergence; where all `tries`
    fail, it takes the step 0 and returns (0, 0).
    """
    for _ in range(tries):
        new_loss, kl = outcome(step_size)
        if kl <= max_kl and new_loss < loss:
            return step_size, kl
        step_size *= coefficient
    outcome(0.0)
    return 0.0, 0.0


@dataclass(frozen=True)
class TRPOConfig(NaturalGradientConfig):
    """How TRPO learns."""

    max_kl: float = 0.01
    """Largest mean divergence of the new policy from the old."""
    backtrack_factor: float = 0.8
    """Factor between two steps of the line search, 0 to 1."""
    max_backtracks: int = 10
    """Steps of the line search that are tried."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(self, 0, "max_kl")
        require_between(self, 0, 1, "backtrack_factor")
        require_at_least(self, 1, "max_backtracks")


def build(spaces: Spaces, config: TRPOConfig, training: bool) -> TRPOPolicy:
    """A TRPO policy, with an optimizer of its critic if it is to be trained."""
    actor, critic = actor_critic_for(spaces, config.hidden, config.channels, shared=False)
    return TRPOPolicy(
        actor,
        critic,
        config.optimizer(critic, training),
        max_kl=config.max_kl,
        backtrack_coeff=config.backtrack_factor,
        max_backtracks=config.max_backtracks,
        advantage_normalization=config.normalize_advantages,
        optim_critic_iters=config.critic_iterations,
        gae_lambda=config.gae_lambda,
        max_batchsize=4096,
        **config.options(spaces),
    )


ALGORITHM = Algorithm(TRPOConfig, build, "on-policy", "arXiv 1502.05477", ("discrete", "continuous"))
AGENT = AgentKind("trust region policy optimisation", partial(load_policy, "trpo", ALGORITHM), "DIR", ALGORITHM)
