"""Advantage actor-critic (Mnih et al. 2016, arXiv 1602.01783), synchronous: one gradient for all environments.

The actor follows the policy gradient weighted by advantages; the critic learns the returns. Advantages are generalised
(arXiv 1506.02438) where the paper takes n-step ones.
"""

from typing import Any, Literal

import gymnasium as gym
import torch
from torch import nn

from agents.configs.on_policy import A2CConfig
from agents.learning.action_mapping import ActionMapping
from agents.learning.actor_critic import ActorCriticLearner
from agents.learning.captured import captured
from agents.learning.distributions import log_probability
from agents.learning.figures import Figures, approximate_kl, detached, in_numbers, new_figures
from agents.learning.gradients import gradient_step, learning_rate
from agents.learning.options import one_config
from agents.learning.stochastic import ActionSampler, DistFn, Minibatch, optimizer_of, tensors
from agents.networks.builders import actor_critic_for
from agents.networks.common import ActorCritic
from agents.networks.discrete import actor_and_critic
from arena.data.batch import Batch
from arena.policy.base import BasePolicy
from arena.policy.registration import Spaces


class A2CPolicy(ActorCriticLearner, BasePolicy):
    """A2C for discrete actions, with masks, and for continuous ones.

    Args:
        actor: maps observations to scores [n, A], or to means and deviations [n, k]; and a hidden state. See
            `ActionSampler` for what scores may be.
        critic: maps observations to values [n, 1].
        optim: optimizer of both; None for a policy that only plays.
        dist_fn: as in `ActionSampler`.
        vf_coef: weight of the value loss, at least 0.
        ent_coef: weight of the entropy bonus, at least 0.
        max_grad_norm: largest norm of the gradient, above 0; None for no limit.
        gae_lambda: lambda of generalised advantage estimation, 0 to 1.
        max_batchsize: observations per forward pass when values are computed, at least 1.
        discount_factor: gamma per own step, 0 to 1.
        reward_normalization: divide returns by their running standard deviation.
        action_scaling: map continuous actions from [-1, 1] to the bounds of a Box `action_space`.
        action_bound_method: as in `BasePolicy`.
        lr_scheduler: stepped once per update.
        deterministic_eval: take the most likely action in testing mode.
        action_space: as in `BasePolicy`.
        observation_space: as in `BasePolicy`.
        config: all options at once, in place of those one by one.

    """

    config: A2CConfig

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
        discount_factor: float = 0.99,
        reward_normalization: bool = False,
        action_scaling: bool = True,
        action_bound_method: Literal["clip", "tanh", ""] = "clip",
        lr_scheduler: torch.optim.lr_scheduler.LRScheduler | None = None,
        deterministic_eval: bool = False,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
        config: A2CConfig | None = None,
    ):
        options = A2CConfig(
            vf_coef=vf_coef,
            ent_coef=ent_coef,
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
        self.config, self.lr_scheduler = config, lr_scheduler

    def learn(self, batch: Batch, batch_size: int, repeat: int) -> Figures:
        """Go `repeat` times through the batch in minibatches of about `batch_size`; return figures of each step."""
        figures, data = new_figures(batch), tensors(batch, ("adv", "returns", "logp_old"), self.device)
        step = captured(self._step, self.device, repeat * len(data["act"]) // batch_size)
        steps = [step(part) for _ in range(repeat) for part in self.sampler.minibatches(data, batch_size)]
        return {**figures, **in_numbers(steps), "lr": [learning_rate(self.optim)] * len(steps)}

    def _step(self, part: Minibatch) -> dict[str, torch.Tensor]:
        """Take a gradient step by a minibatch; return its figures."""
        config = self.config
        scores, value, _ = actor_and_critic(self.actor, self.critic, part["obs"])
        dist = self.sampler.distribution(scores, part.get("mask"))
        log_pi, advantage, returns = log_probability(dist, part["act"]), part["adv"], part["returns"]
        actor_loss = -(log_pi * advantage).mean()  # section 4: ascend grad log pi(a | s) A(s, a)
        value_loss = (returns - value).square().mean()  # algorithm S3: (R - V(s))^2
        entropy = dist.entropy().mean()
        loss = actor_loss + config.vf_coef * value_loss - config.ent_coef * entropy
        norm = gradient_step(loss, self.optim, config.max_grad_norm)
        losses = {"loss": loss, "loss/actor": actor_loss, "loss/vf": value_loss, "loss/ent": entropy}
        kl = approximate_kl(log_pi - part["logp_old"])
        return detached({**losses, "entropy": entropy, "grad_norm": norm, "kl": kl})


def build(spaces: Spaces, config: A2CConfig, training: bool) -> A2CPolicy:
    """Build an A2C policy, with an optimizer if it is to be trained."""
    actor, critic = actor_critic_for(spaces, config.hidden, config.channels)
    return A2CPolicy(
        actor,
        critic,
        optimizer_of(config, ActorCritic(actor, critic), training),
        deterministic_eval=not spaces.hides_something,
        action_space=spaces.action,
        observation_space=spaces.observation,
        config=config,
    )
