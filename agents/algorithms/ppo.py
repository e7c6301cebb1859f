"""Proximal policy optimisation (Schulman et al. 2017, arXiv 1707.06347).

An actor-critic that takes several gradient steps on the same experience and limits each by clipping the ratio of new to
old probabilities. Dual clip: Ye et al. 2020, arXiv 1912.09729; recomputed advantages: Andrychowicz et al. 2020, arXiv
2006.05990, section 3.5.
"""

from collections.abc import Callable
from typing import Any, Literal

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn.functional import mse_loss

from agents.configs.on_policy import PPOConfig
from agents.learning import checks
from agents.learning.action_mapping import ActionMapping
from agents.learning.actor_critic import ActorCriticLearner
from agents.learning.captured import captured
from agents.learning.distributions import log_probability
from agents.learning.figures import Figures, approximate_kl, clip_fraction, detached, in_numbers, new_figures
from agents.learning.gradients import gradient_step, learning_rate
from agents.learning.options import one_config
from agents.learning.ppo_gradient import FIGURES, LossOptions, has_kernel, loss_and_gradients
from agents.learning.precision import HalfActorCritic, half_precision, has_bfloat16
from agents.learning.stochastic import ActionSampler, DistFn, Minibatch, optimizer_of, tensors
from agents.networks.builders import actor_critic_for
from agents.networks.common import ActorCritic
from agents.networks.discrete import Actor, actor_and_critic
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.base import BasePolicy
from arena.policy.registration import Spaces
from arena.policy.rollout import Rollout

KEYS = "adv", "returns", "logp_old", "v_s"


class PPOPolicy(ActorCriticLearner, BasePolicy):
    """PPO for discrete actions, with masks, and for continuous ones.

    Arguments other than these are those of `A2CPolicy`.

    Args:
        eps_clip: as in `PPOConfig`.
        dual_clip: as in `PPOConfig`.
        value_clip: as in `PPOConfig`.
        advantage_normalization: as in `PPOConfig`.
        recompute_advantage: as in `PPOConfig`.

    """

    config: PPOConfig
    _recompute: Callable[[Batch], None]
    """Evaluates the values and advantages of the rows of an update again."""

    def __init__(
        self,
        actor: nn.Module,
        critic: nn.Module,
        optim: torch.optim.Optimizer | None,
        dist_fn: DistFn | None = None,
        eps_clip: float = 0.2,
        dual_clip: float | None = None,
        value_clip: bool = False,
        advantage_normalization: bool = True,
        recompute_advantage: bool = False,
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
        config: PPOConfig | None = None,
    ):
        options = PPOConfig(
            eps_clip=eps_clip,
            dual_clip=dual_clip,
            value_clip=value_clip,
            advantage_normalization=advantage_normalization,
            recompute_advantage=recompute_advantage,
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
        self._halves = config.half and isinstance(actor, Actor) and not actor.softmax_output
        self._half: HalfActorCritic | None = None

    def scores_and_values(self, obs: Any, state: Any) -> tuple[Any, torch.Tensor, Any]:
        """Return the scores of observations, their values [n], and the hidden state, for acting."""
        if not (self._halves and self.training and state is None and has_bfloat16(self.device)):
            return super().scores_and_values(obs, state)
        if self._half is None or self._half.device != self.device or not self._half.is_current:
            self._half = HalfActorCritic(self.actor, self.critic)
        return *self._half.logits_and_values(obs), None

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add advantages `adv` and `returns` [n] to all collected transitions, in order of time."""
        if self.config.recompute_advantage:

            def recompute(rows: Batch) -> None:
                rows.v_s = self.values(rows.obs)
                self.advantages.add_advantages(rows, buffer, indices, self.values, self.return_scale)

            self._recompute = recompute
        return super().process_fn(batch, buffer, indices)

    def process_rollout(self, rollout: Rollout) -> Batch:
        """Return the transitions of a rollout with what `process_fn` adds."""
        if self.config.recompute_advantage:

            def recompute(rows: Batch) -> None:
                rows.v_s = self.value_tensor(rows.obs)
                self.add_rollout_advantages(rows, rollout)

            self._recompute = recompute
        return super().process_rollout(rollout)

    def learn(self, batch: Batch, batch_size: int, repeat: int) -> Figures:
        """Go `repeat` times through the batch in minibatches of about `batch_size`; return figures of each step."""
        figures, data = new_figures(batch), tensors(batch, KEYS, self.device)
        step = captured(self._step, self.device, repeat * len(data["act"]) // batch_size)
        steps = []
        for repetition in range(repeat):
            if self.config.recompute_advantage and repetition > 0:
                self._recompute(batch)
                data = tensors(batch, KEYS, self.device)
            steps += [step(part) for part in self.sampler.minibatches(data, batch_size)]
        self._half = None  # of the weights before
        return {**figures, **in_numbers(steps), "lr": [learning_rate(self.optim)] * len(steps)}

    def _step(self, part: Minibatch) -> dict[str, torch.Tensor]:
        """Take a gradient step by a minibatch; return its figures."""
        with half_precision(self.device, self._halves):
            scores, value, _ = actor_and_critic(self.actor, self.critic, part["obs"])
        if self._halves:
            scores, value = scores.float(), value.float()
        if self.sampler.takes_logits(scores) and has_kernel(scores, value):
            checks.require_fitting_scores(self.action_space, scores, part.get("mask"))
            figures, gradients = loss_and_gradients(scores, value, part, LossOptions.of(self.config))
            norm = gradient_step([scores, value], self.optim, self.config.max_grad_norm, gradients)
        else:
            figures = self._loss(scores, value, part)
            norm = gradient_step(figures["loss"], self.optim, self.config.max_grad_norm)
        return detached({**figures, "grad_norm": norm})

    def _loss(self, scores: Any, value: torch.Tensor, part: Minibatch) -> dict[str, torch.Tensor]:
        """Return `FIGURES` of the loss of a minibatch, of which autograd follows the loss."""
        config = self.config
        dist = self.sampler.distribution(scores, part.get("mask"))
        log_ratio = log_probability(dist, part["act"]) - part["logp_old"]
        ratio = log_ratio.exp()
        clip_loss = clip_loss_of(ratio, part["adv"], config)
        value_loss = value_loss_of(value, part["v_s"], part["returns"], config)
        entropy = dist.entropy().mean()
        loss = clip_loss + config.vf_coef * value_loss - config.ent_coef * entropy  # eq. 9
        kl, outside = approximate_kl(log_ratio), clip_fraction(ratio, config.eps_clip)
        return dict(zip(FIGURES, (loss, clip_loss, value_loss, entropy, entropy, kl, outside), strict=True))


def clip_loss_of(ratio: torch.Tensor, advantage: torch.Tensor, config: PPOConfig) -> torch.Tensor:
    """Return the mean clipped surrogate loss of ratios [n] of new to old probabilities, and advantages [n]."""
    if config.advantage_normalization and len(advantage) > 1:
        deviation, mean = torch.std_mean(advantage)
        advantage = (advantage - mean) / (deviation + 1e-8)
    eps = config.eps_clip
    surrogate = torch.min(ratio * advantage, ratio.clamp(1 - eps, 1 + eps) * advantage)  # eq. 7
    if config.dual_clip is not None:
        bounded = torch.max(surrogate, config.dual_clip * advantage)  # arXiv 1912.09729, eq. 5
        surrogate = torch.where(advantage < 0, bounded, surrogate)
    return -surrogate.mean()


def value_loss_of(
    value: torch.Tensor, old_value: torch.Tensor, returns: torch.Tensor, config: PPOConfig
) -> torch.Tensor:
    """Return the mean squared error of values [n]."""
    if not config.value_clip:
        return mse_loss(value, returns)
    clipped = old_value + (value - old_value).clamp(-config.eps_clip, config.eps_clip)
    return torch.max((returns - value).square(), (returns - clipped).square()).mean()


def build(spaces: Spaces, config: PPOConfig, training: bool) -> PPOPolicy:
    """Build a PPO policy, with an optimizer if it is to be trained."""
    actor, critic = actor_critic_for(spaces, config.hidden, config.channels)
    return PPOPolicy(
        actor,
        critic,
        optimizer_of(config, ActorCritic(actor, critic), training),
        deterministic_eval=not spaces.hides_something,
        action_space=spaces.action,
        observation_space=spaces.observation,
        config=config,
    )
