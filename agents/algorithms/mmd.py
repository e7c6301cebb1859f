"""Magnetic mirror descent (Sokota et al. 2023, arXiv 2206.05825): a policy gradient that finds equilibria by self-play.

In games with hidden information, plain policy gradients cycle. Here each update is regularised towards two policies:
the one before the update, and a magnet, the uniform policy. In two-player zero-sum games this converges to a quantal
response equilibrium, where the pull of the magnet balances the payoffs. As its temperature falls, that approaches an
equilibrium of the game. An exponential moving average of the network plays.

The update is algorithm 3.1 of the paper, with the entropy as mirror map, in every information state:

    pi <- argmax_pi  <pi, q> - alpha KL(pi, magnet) - 1/eta KL(pi, pi_old)

by gradient steps on the network. For convergence eta must fall with alpha: here their ratio is fixed, and alpha falls
with the learning rate. q is the critic's estimate of every action, corrected by the return of the action taken; the
paper's own deep variant is PPO with other penalties. Rudolph et al. 2025, arXiv 2502.08938, compare such policy
gradients with neural fictitious self-play and counterfactual regret minimization.
"""

from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.configs.on_policy import MMDConfig
from agents.learning import checks
from agents.learning.actor_critic import AdvantageEstimator
from agents.learning.distributions import expectation
from agents.learning.figures import Figures, new_figures, note
from agents.learning.gradients import descend
from agents.learning.stochastic import ActionSampler, Minibatch, ReturnScale, answer, optimizer_of, scores_of, tensors
from agents.learning.targets import frozen_copy, polyak
from agents.networks.builders import body_of
from agents.networks.common import ActorCritic
from agents.networks.discrete import Actor, Critic
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.base import BasePolicy
from arena.policy.masking import bare_obs, legal_mask
from arena.policy.registration import Spaces

KEYS = "returns", "logits_old"


class MMDPolicy(BasePolicy):
    """Magnetic mirror descent for discrete actions, with masks.

    It acts by its actor in training, otherwise by an exponential moving average of the actor's weights.

    Args:
        actor: maps observations to logits [n, A] (probabilities if `softmax_output`), and a hidden state.
        critic: maps observations to action values [n, A].
        optim: optimizer of both; None for a policy that only plays.
        config: its options.
        lr_scheduler: stepped once per update.
        deterministic_eval: take the most likely action in testing mode.
        action_space: as in `BasePolicy`; Discrete.
        observation_space: as in `BasePolicy`.

    """

    keeps_policies = True

    def __init__(
        self,
        actor: nn.Module,
        critic: nn.Module,
        optim: torch.optim.Optimizer | None,
        config: MMDConfig,
        lr_scheduler: torch.optim.lr_scheduler.LRScheduler | None = None,
        deterministic_eval: bool = False,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
    ):
        super().__init__(observation_space, action_space)
        checks.require_discrete(self, action_space)
        self.actor, self.optim, self.lr_scheduler = actor, optim, lr_scheduler
        self.return_scale = ReturnScale() if config.reward_normalization else None
        self.critic, self.config = critic, config
        self.average = frozen_copy(actor)
        self.sampler = ActionSampler(actor, None, deterministic_eval, action_space)
        self.advantages = AdvantageEstimator(config.discount_factor, config.gae_lambda)
        self._full_rate = optim.param_groups[0]["lr"] if optim is not None else 0.0

    # --- acting -------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None) -> None:
        """Restart the random stream of actions and minibatches if a seed is given."""
        self.sampler.reset(seed)

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Return the logits or probabilities [n, A] of the averaged actor."""
        return scores_of(self.average, obs)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw actions; adds `policy.logp`, `policy.value`, `policy.logits` [n, A] and `value`."""
        dist, q = self.dist_and_q(bare_obs(batch.obs), legal_mask(batch.obs))
        value = expectation(dist.probs, q)
        act = self.sampler.choose(dist, self.training)
        result = answer(act, dist, None)
        result.policy = Batch(logp=dist.log_prob(act), value=value, logits=dist.logits)
        result.value = value.numpy(force=True)
        return result

    def dist_and_q(self, obs: Any, mask: Any) -> tuple[Any, torch.Tensor]:
        """Return the distribution over actions, and action values [n, A]."""
        actor = self.actor if self.training else self.average
        return self.sampler.distribution(actor(obs)[0], mask), self.critic(obs)

    @torch.no_grad()
    def values(self, obs: Any) -> NDArray[np.float64]:
        """Return the values of observations under the policy, [n]."""
        dist, q = self.dist_and_q(bare_obs(obs), legal_mask(obs))
        return expectation(dist.probs, q).numpy(force=True).astype(np.float64)

    # --- learning -----------------------------------------------------------------------------------------------

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add `returns` [n], the TD(lambda) targets of the critic, to all collected transitions."""
        batch = self.advantages.process(batch, buffer, indices, self.values, self.return_scale)
        batch.logits_old = batch.policy.logits
        return batch

    def learn(self, batch: Batch, batch_size: int, repeat: int) -> Figures:
        """Go `repeat` times through the batch in minibatches of about `batch_size`; return figures of each step."""
        figures: Figures = new_figures(batch)
        data, config = tensors(batch, KEYS, self.device), self.config
        scale, alpha = float(np.std(batch.returns)) + 1e-8, self.temperature
        for _ in range(repeat):
            for part in self.sampler.minibatches(data, batch_size):
                gain, entropy, kl, value_loss = self._losses(part)
                # 1/eta KL(pi, pi_old) + alpha KL(pi, magnet)
                penalty = kl / (config.step_ratio * alpha) - alpha * entropy
                loss = penalty - gain / scale + config.vf_coef * value_loss / scale**2
                step = descend(loss, self.optim, config.max_grad_norm)
                note(figures, {"gain": gain.item(), "loss/vf": value_loss.item()})
                note(figures, {"entropy": entropy.item(), "kl": kl.item(), **step})
        polyak(self.average, self.actor, config.average_rate)
        return dict(figures)

    @property
    def temperature(self) -> float:
        """Return alpha at the current learning rate."""
        begin, end = self.config.temperature, self.config.final_temperature
        rate = self._full_rate if self.optim is None else self.optim.param_groups[0]["lr"]
        return end + (begin - end) * (rate / self._full_rate if self._full_rate else 1.0)

    def _losses(self, part: Minibatch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return the means of <pi, q>, the entropy, the divergence from the old policy, and the critic's loss.

        The entropy is a constant minus the divergence from the magnet.
        """
        dist, q = self.dist_and_q(part["obs"], part.get("mask"))
        act = part["act"][:, None]
        error = part["returns"][:, None] - q.gather(1, act)
        with torch.no_grad():
            weight = (-part["logits_old"].gather(1, act)).exp().clamp(max=self.config.max_weight)
            corrected_q = q.scatter_add(1, act, weight * error)
        kl = expectation(dist.probs, dist.logits - part["logits_old"])
        return expectation(dist.probs, corrected_q).mean(), dist.entropy().mean(), kl.mean(), error.square().mean()


def build(spaces: Spaces, config: MMDConfig, training: bool) -> MMDPolicy:
    """Build a policy for a game, with an optimizer if it is to be trained."""
    bodies = [body_of(spaces, (config.hidden, config.hidden), config.channels) for _ in range(2)]
    actor = Actor(bodies[0], spaces.num_actions, softmax_output=False)
    critic = Critic(bodies[1], last_size=spaces.num_actions)
    return MMDPolicy(
        actor,
        critic,
        optimizer_of(config, ActorCritic(actor, critic), training),
        config,
        deterministic_eval=not spaces.hides_something,
        action_space=spaces.action,
        observation_space=spaces.observation,
    )
