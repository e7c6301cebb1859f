"""Natural policy gradient (Kakade 2001, NIPS 14).

The actor steps along F^-1 g, with g the policy gradient and F the Fisher matrix of the policy, so that the step does
not depend on the parametrisation. The critic is fitted to the returns.
"""

from dataclasses import replace
from typing import Any, Literal

import gymnasium as gym
import torch
from torch import nn
from torch.distributions import kl_divergence

from agents.configs.on_policy import NPGConfig
from agents.learning.action_mapping import ActionMapping
from agents.learning.actor_critic import ActorCriticLearner
from agents.learning.figures import Figures, mean_entropy, new_figures, note
from agents.learning.natural_gradient import NaturalGradient, assign, fit_critic, flat, require_separate, surrogate
from agents.learning.options import one_config
from agents.learning.stochastic import ActionSampler, DistFn, optimizer_of, tensors
from agents.networks.builders import actor_critic_for
from arena.base.checks import require_at_least
from arena.data.batch import Batch
from arena.policy.base import BasePolicy
from arena.policy.registration import Spaces


class NPGPolicy(ActorCriticLearner, BasePolicy):
    """Natural policy gradient for discrete actions, with masks, and for continuous ones.

    Actor and critic share no parameters, and `optim` is the critic's. Arguments other than these are those of
    `A2CPolicy`; `vf_coef` and `ent_coef` have no effect, and `max_grad_norm` is for the critic.

    Args:
        advantage_normalization: scale all collected advantages to mean 0 and standard deviation 1.
        optim_critic_iters: critic steps per actor step, at least 1.
        actor_step_size: factor on the natural gradient, above 0.

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
        config: NPGConfig | None = None,
    ):
        require_at_least(0, vf_coef=vf_coef, ent_coef=ent_coef)
        options = NPGConfig(
            actor_step_size=actor_step_size,
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
        parameters = list(self.actor.parameters())
        for _ in range(repeat):
            for part in self.sampler.minibatches(data, batch_size):
                with torch.no_grad():
                    before, _ = surrogate(self.actor, self.sampler, part)
                dist, loss = surrogate(self.actor, self.sampler, part)
                direction, _ = self.natural_gradient.solve(loss, kl_divergence(before, dist).mean(), parameters)
                # section 2: theta <- theta + alpha F(theta)^-1 grad eta(theta)
                step = -self.config.actor_step_size * direction
                assign(parameters, flat(parameters).detach() + step)
                with torch.no_grad():
                    after, _ = surrogate(self.actor, self.sampler, part)
                kl = kl_divergence(before, after).mean().item()
                note(figures, {"loss/actor": loss.item(), "kl": kl, **mean_entropy(before)})
                note(figures, fit_critic(self.critic, self.optim, part, self.config))
        return dict(figures)


def build(spaces: Spaces, config: NPGConfig, training: bool) -> NPGPolicy:
    """Build a natural policy gradient policy, with an optimizer of its critic if it is to be trained."""
    actor, critic = actor_critic_for(spaces, config.hidden, config.channels, shared=False)
    return NPGPolicy(
        actor,
        critic,
        optimizer_of(config, critic, training),
        deterministic_eval=not spaces.hides_something,
        action_space=spaces.action,
        observation_space=spaces.observation,
        config=config,
    )
