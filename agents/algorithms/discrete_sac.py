"""Soft actor-critic for discrete actions (Christodoulou 2019, arXiv 1910.07207), with masks.

The actor gives the probability and the critics give the value of every action, so that expectations are exact sums.
Illegal actions are excluded from them and from entropies.
"""

from typing import Any, Literal

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.configs.actors import DiscreteSACConfig
from agents.learning import checks
from agents.learning.action_mapping import ActionMapping
from agents.learning.distributions import default_distribution, draw, expectation, logits_of
from agents.learning.gradients import descend
from agents.learning.optimizer import Adam
from agents.learning.options import one_config
from agents.learning.q_actor import QActor, obs_tensor, optimizer_of, smallest_q
from agents.learning.stochastic import answer
from agents.learning.temperature import Alpha, Temperature
from agents.learning.value_learning import chosen
from agents.networks.builders import body_of
from agents.networks.discrete import Actor, Critic
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.base import BasePolicy
from arena.policy.masking import bare_obs, legal_mask, mask_scores
from arena.policy.registration import Spaces


class DiscreteSACPolicy(QActor, BasePolicy):
    """SAC for discrete actions.

    Args:
        actor: maps observations to logits [n, A] (probabilities if `softmax_output`), and a hidden state.
        actor_optim: optimizer of the actor; None for a policy that only plays.
        critic1: maps observations to values [n, A].
        critic1_optim: optimizer of the first critic.
        critic2: the second critic.
        critic2_optim: optimizer of the second critic.
        tau: as in `DiscreteSACConfig`.
        gamma: as in `DiscreteSACConfig`.
        alpha: entropy weight, or (target entropy, log alpha, its optimizer) to learn it.
        reward_normalization: not defined for n-step targets; leave it at False.
        estimation_step: as in `DiscreteSACConfig`.
        deterministic_eval: take the most likely action in testing mode.
        action_scaling: as in `ActionMapping`.
        action_bound_method: as in `ActionMapping`.
        lr_scheduler: stepped once per update.
        action_space: as in `BasePolicy`.
        observation_space: as in `BasePolicy`.
        config: all options at once, in place of those one by one.

    """

    config: DiscreteSACConfig

    def __init__(
        self,
        actor: nn.Module,
        actor_optim: torch.optim.Optimizer | None,
        critic1: nn.Module,
        critic1_optim: torch.optim.Optimizer | None,
        critic2: nn.Module,
        critic2_optim: torch.optim.Optimizer | None,
        tau: float = 0.005,
        gamma: float = 0.99,
        alpha: Alpha = 0.2,
        reward_normalization: bool = False,
        estimation_step: int = 1,
        deterministic_eval: bool = True,
        action_scaling: bool = True,
        action_bound_method: Literal["clip", "tanh", ""] = "clip",
        lr_scheduler: torch.optim.lr_scheduler.LRScheduler | None = None,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
        config: DiscreteSACConfig | None = None,
    ):
        critics = [(critic1, critic1_optim), (critic2, critic2_optim)]
        checks.require_raw_rewards(reward_normalization)
        options = DiscreteSACConfig(
            tau=tau,
            gamma=gamma,
            estimation_step=estimation_step,
        )
        config = one_config(self, config, options)
        mapping = ActionMapping(action_scaling, action_bound_method, action_space, observation_space)
        super().__init__(actor, actor_optim, critics, config, None, mapping)
        self.lr_scheduler = lr_scheduler
        checks.require_discrete(self, self.action_space)
        self.temperature = Temperature(alpha)
        self.deterministic_eval = deterministic_eval

    def forward(self, batch: Batch, state: Any = None, input: Literal["obs", "obs_next"] = "obs") -> Batch:
        """Draw actions [n]; adds `dist`, `logits` and `probs` [n, A]."""
        scores, hidden = self.actor(bare_obs(batch[input]), state)
        dist = self._distribution(scores, legal_mask(batch[input]))
        act = dist.mode if self.deterministic_eval and not self.training else draw(dist, self.generator)
        return answer(act, dist, hidden)

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Return logits or probabilities [n, A]."""
        scores: torch.Tensor = self.actor(obs)[0]
        return scores

    def _distribution(self, scores: torch.Tensor, mask: Any) -> Any:
        checks.require_fitting_scores(self.action_space, scores, mask)
        return default_distribution(mask_scores(logits_of(self.actor, scores), mask))

    def _target_q(self, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> torch.Tensor:
        """Return the soft value of next observations: pi(s)^T (Q(s) - alpha log pi(s)), equation 10."""
        obs = buffer.obs_next_at(indices)
        obs_next = obs_tensor(obs, self.device)
        dist = self._distribution(self.actor(obs_next)[0], legal_mask(obs))
        q = smallest_q(self.critics_old, obs_next)
        return expectation(dist.probs, q) + self.temperature.value * dist.entropy()

    def _taken_q(self, critic: nn.Module, obs: torch.Tensor, act: Any) -> torch.Tensor:
        return chosen(critic(obs), act)

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take one update; return `loss/actor`, `loss/critic1`, `loss/critic2` and those of `alpha`."""
        obs = obs_tensor(batch.obs, self.device)
        figures = self.fit_critics(obs, batch)
        dist = self._distribution(self.actor(obs)[0], legal_mask(batch.obs))
        with torch.no_grad():
            q = smallest_q(self.critics, obs)
        entropy = dist.entropy()
        # equation 12: pi(s)^T (alpha log pi(s) - Q(s))
        actor_loss = -(self.temperature.value * entropy + expectation(dist.probs, q)).mean()
        step = descend(actor_loss, self.actor_optim)
        alpha_figures = self.temperature.adapt(entropy)
        self.sync_weight()
        step["entropy"] = entropy.mean().item()
        return {"loss/actor": actor_loss.item(), **figures, **alpha_figures, **step}


def build(spaces: Spaces, config: DiscreteSACConfig, training: bool) -> DiscreteSACPolicy:
    """Build a discrete SAC policy, with optimizers if it is to be trained."""
    sizes = (config.hidden, config.hidden)
    actor = Actor(body_of(spaces, sizes, config.channels), spaces.num_actions, softmax_output=False)
    critic1, critic2 = (Critic(body_of(spaces, sizes, config.channels), last_size=spaces.num_actions) for _ in range(2))
    alpha: Alpha = config.alpha
    if config.target_entropy:
        log_alpha = nn.Parameter(torch.tensor([np.log(config.alpha)], dtype=torch.float32))
        optim = Adam([log_alpha], config.learning_rate) if training else None
        alpha = config.target_entropy * float(np.log(spaces.num_actions)), log_alpha, optim
    return DiscreteSACPolicy(
        actor,
        optimizer_of(config, actor, training),
        critic1,
        optimizer_of(config, critic1, training),
        critic2,
        optimizer_of(config, critic2, training),
        alpha=alpha,
        deterministic_eval=not spaces.hides_something,
        action_space=spaces.action,
        observation_space=spaces.observation,
        config=config,
    )
