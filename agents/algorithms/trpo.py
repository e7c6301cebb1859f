"""Trust region policy optimisation (Schulman et al. 2015, arXiv 1502.05477).

The largest step along the natural gradient that keeps the divergence from the old policy within a bound. A quadratic
model gives its length; a line search then shortens it until the true surrogate and divergence meet the conditions.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import gymnasium as gym
import torch
from torch import nn
from torch.distributions import kl_divergence

from agents.configs.on_policy import TRPOConfig
from agents.learning.action_mapping import ActionMapping
from agents.learning.actor_critic import ActorCriticLearner
from agents.learning.figures import Figures, mean_entropy, new_figures, note
from agents.learning.natural_gradient import NaturalGradient, assign, fit_critic, flat, require_separate, surrogate
from agents.learning.options import one_config
from agents.learning.stochastic import ActionSampler, DistFn, Minibatch, optimizer_of, tensors
from agents.networks.builders import actor_critic_for
from arena.base.checks import require_at_least
from arena.data.batch import Batch
from arena.policy.base import BasePolicy
from arena.policy.registration import Spaces


class TRPOPolicy(ActorCriticLearner, BasePolicy):
    """TRPO for discrete actions, with masks, and for continuous ones.

    Actor and critic share no parameters, and `optim` is the critic's. Arguments other than these are those of
    `A2CPolicy`; `vf_coef` and `ent_coef` have no effect, and `max_grad_norm` is for the critic.

    Args:
        max_kl: largest mean divergence of the new policy from the old (delta of equation 14), above 0.
        backtrack_coeff: factor between successive steps of the line search, 0 to 1.
        max_backtracks: largest number of steps tried by the line search, at least 1.
        advantage_normalization: scale all collected advantages to mean 0 and standard deviation 1.
        optim_critic_iters: critic steps per actor step, at least 1.

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
        advantage_normalization: bool = True,
        optim_critic_iters: int = 5,
        vf_coef: float = 0.5,
        ent_coef: float = 0.01,
        max_grad_norm: float | None = None,
        gae_lambda: float = 0.95,
        max_batchsize: int = 256,
        discount_factor: float = 0.99,
        reward_normalization: bool = False,
        action_scaling: bool = True,
        action_bound_method: Literal["clip", "tanh", ""] = "clip",
        lr_scheduler: torch.optim.lr_scheduler.LRScheduler | None = None,
        deterministic_eval: bool = False,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
        config: TRPOConfig | None = None,
    ):
        require_at_least(0, vf_coef=vf_coef, ent_coef=ent_coef)
        options = TRPOConfig(
            max_kl=max_kl,
            backtrack_coeff=backtrack_coeff,
            max_backtracks=max_backtracks,
            advantage_normalization=advantage_normalization,
            optim_critic_iters=optim_critic_iters,
            max_grad_norm=max_grad_norm,
            gae_lambda=gae_lambda,
            max_batchsize=max_batchsize,
            discount_factor=discount_factor,
            reward_normalization=reward_normalization,
        )
        config = one_config(self, config, options)
        sampler = ActionSampler(actor, dist_fn, deterministic_eval, action_space)
        mapping = ActionMapping(action_scaling, action_bound_method, action_space, observation_space)
        super().__init__(actor, critic, optim, config, sampler, mapping)
        require_separate(self, actor, critic)
        self.config, self.lr_scheduler = config, lr_scheduler
        self.advantages = replace(self.advantages, normalizes=config.advantage_normalization)
        self.natural_gradient = NaturalGradient()

    def learn(self, batch: Batch, batch_size: int, repeat: int) -> Figures:
        """Go `repeat` times through the batch in minibatches of about `batch_size`; return figures of each step."""
        figures: Figures = new_figures(batch)
        data = tensors(batch, ("adv", "returns", "logp_old"), self.device)
        for _ in range(repeat):
            for part in self.sampler.minibatches(data, batch_size):
                note(figures, self._step_actor(part))
                note(figures, fit_critic(self.critic, self.optim, part, self.config))
        return dict(figures)

    def _step_actor(self, part: Minibatch) -> dict[str, float]:
        """Take one step within the trust region; return its figures, the loss and the entropy as they were before."""
        parameters, config = list(self.actor.parameters()), self.config
        with torch.no_grad():
            before, _ = surrogate(self.actor, self.sampler, part)
        dist, loss = surrogate(self.actor, self.sampler, part)
        uphill, fisher = self.natural_gradient.solve(loss, kl_divergence(before, dist).mean(), parameters)
        direction = -uphill
        # appendix C: beta = sqrt(2 delta / s^T F s), where the quadratic model of the divergence is delta
        beta = float((2 * config.max_kl / (direction @ fisher(direction)).clamp(min=1e-12)).sqrt())
        start = flat(parameters).detach()

        def outcome(step_size: float) -> tuple[float, float]:
            assign(parameters, start + step_size * direction)
            with torch.no_grad():
                after, loss = surrogate(self.actor, self.sampler, part)
                return loss.item(), kl_divergence(before, after).mean().item()

        step_size, kl = line_search(
            outcome, loss.item(), config.max_kl, beta, config.backtrack_coeff, config.max_backtracks
        )
        return {"loss/actor": loss.item(), "step_size": step_size, "kl": kl, **mean_entropy(before)}


def line_search(
    outcome: Callable[[float], tuple[float, float]],
    loss: float,
    max_kl: float,
    step_size: float,
    coefficient: float,
    tries: int,
) -> tuple[float, float]:
    """Take the first of the steps b, c b, c^2 b, ... that lowers the loss with a divergence of at most `max_kl`.

    `outcome` takes a step and returns its loss and divergence. Returns the step and its divergence. If all `tries`
    fail, it takes the step 0 and returns (0, 0).
    """
    for _ in range(tries):
        new_loss, kl = outcome(step_size)
        if kl <= max_kl and new_loss < loss:
            return step_size, kl
        step_size *= coefficient
    outcome(0.0)
    return 0.0, 0.0


def build(spaces: Spaces, config: TRPOConfig, training: bool) -> TRPOPolicy:
    """Build a TRPO policy, with an optimizer of its critic if it is to be trained."""
    actor, critic = actor_critic_for(spaces, config.hidden, config.channels, shared=False)
    return TRPOPolicy(
        actor,
        critic,
        optimizer_of(config, critic, training),
        deterministic_eval=not spaces.hides_something,
        action_space=spaces.action,
        observation_space=spaces.observation,
        config=config,
    )
