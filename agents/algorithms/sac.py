"""Soft actor-critic (Haarnoja et al. 2018, arXiv 1812.05905).

The actor maximises the values of two critics plus its own entropy. Actions are samples of a normal distribution,
squashed by tanh. The entropy weight alpha is fixed or learned.
"""

from typing import Any, Literal

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.configs.actors import SACConfig
from agents.learning import checks
from agents.learning.action_mapping import ActionMapping
from agents.learning.distributions import default_distribution, draw, log_tanh_slope
from agents.learning.exploration import BaseNoise
from agents.learning.gradients import descend
from agents.learning.optimizer import Adam
from agents.learning.options import one_config
from agents.learning.q_actor import QActor, obs_tensor, optimizer_of, smallest_q
from agents.learning.temperature import Alpha, Temperature
from agents.networks.builders import body_of, q_critic
from agents.networks.continuous import ActorProb
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.base import BasePolicy
from arena.policy.masking import bare_obs
from arena.policy.registration import Spaces


class SACPolicy(QActor, BasePolicy):
    """SAC for continuous actions.

    Args:
        actor: maps observations to means and deviations [n, k], and a hidden state.
        actor_optim: optimizer of the actor; None for a policy that only plays.
        critic1: maps observations and actions to values [n, 1].
        critic1_optim: optimizer of the first critic.
        critic2: the second critic.
        critic2_optim: optimizer of the second critic.
        tau: as in `SACConfig`.
        gamma: as in `SACConfig`.
        alpha: entropy weight, or (target entropy, log alpha, its optimizer) to learn it.
        reward_normalization: not defined for n-step targets; leave it at False.
        estimation_step: as in `SACConfig`.
        exploration_noise: as in `QActor`; by default none, since the actor is stochastic.
        deterministic_eval: act by the mean in testing mode.
        action_scaling: as in `ActionMapping`.
        action_bound_method: as in `ActionMapping`.
        lr_scheduler: stepped once per update.
        action_space: as in `BasePolicy`.
        observation_space: as in `BasePolicy`.
        config: all options at once, in place of those one by one.

    """

    config: SACConfig

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
        exploration_noise: BaseNoise | float | None = None,
        deterministic_eval: bool = True,
        action_scaling: bool = True,
        action_bound_method: Literal["clip", "tanh", ""] = "clip",
        lr_scheduler: torch.optim.lr_scheduler.LRScheduler | None = None,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
        config: SACConfig | None = None,
    ):
        critics = [(critic1, critic1_optim), (critic2, critic2_optim)]
        checks.require_raw_rewards(reward_normalization)
        options = SACConfig(
            tau=tau,
            gamma=gamma,
            estimation_step=estimation_step,
        )
        config = one_config(self, config, options)
        mapping = ActionMapping(action_scaling, action_bound_method, action_space, observation_space)
        super().__init__(actor, actor_optim, critics, config, exploration_noise, mapping)
        self.lr_scheduler = lr_scheduler
        checks.require_continuous(self, self.action_space)
        self.temperature = Temperature(alpha)
        self.deterministic_eval = deterministic_eval

    def forward(self, batch: Batch, state: Any = None, input: Literal["obs", "obs_next"] = "obs") -> Batch:
        """Draw actions [n, k] within ±1; adds `log_prob` [n] and `dist`, the distribution before the tanh."""
        scores, hidden = self.actor(bare_obs(batch[input]), state)
        dist = default_distribution(*scores)
        act, logp = self._squashed(dist, mean=self.deterministic_eval and not self.training)
        self.require_fit(act)
        return Batch(act=act.numpy(force=True), state=hidden, dist=dist, log_prob=logp)

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Return the action [n, k] of the mean."""
        (mean, _), _ = self.actor(obs)
        return torch.tanh(mean)

    def _squashed(self, dist: Any, mean: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
        """Return reparametrised actions tanh(u) and their log-probabilities [n] (appendix C)."""
        u = dist.mean if mean else draw(dist, self.generator)
        return torch.tanh(u), dist.log_prob(u) - log_tanh_slope(u).sum(dim=1)

    def _target_q(self, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> torch.Tensor:
        """Return the soft value of next observations, min Q - alpha log pi over two targets (equation 3)."""
        obs_next = obs_tensor(buffer.obs_next_at(indices), self.device)
        act, logp = self._squashed(default_distribution(*self.actor(obs_next)[0]))
        alpha, q = self.temperature.value, smallest_q(self.critics_old, obs_next, act)
        return q - alpha * logp  # eq. 3

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take one update (algorithm 1); return `loss/actor`, `loss/critic1`, `loss/critic2` and those of `alpha`."""
        obs = obs_tensor(batch.obs, self.device)
        figures = self.fit_critics(obs, batch)  # eq. 5
        act, logp = self._squashed(default_distribution(*self.actor(obs)[0]))
        alpha, q = self.temperature.value, smallest_q(self.critics, obs, act)
        actor_loss = (alpha * logp - q).mean()  # eq. 9
        step = descend(actor_loss, self.actor_optim)
        alpha_figures = self.temperature.adapt(-logp)
        self.sync_weight()
        step["entropy"] = -logp.mean().item()
        return {"loss/actor": actor_loss.item(), **figures, **alpha_figures, **step}


def build(spaces: Spaces, config: SACConfig, training: bool) -> SACPolicy:
    """Build a SAC policy, with optimizers if it is to be trained."""
    sizes = (config.hidden, config.hidden)
    actor = ActorProb(body_of(spaces, sizes), spaces.action_shape, unbounded=True, conditioned_sigma=True)
    critic1, critic2 = q_critic(spaces, sizes), q_critic(spaces, sizes)
    alpha: Alpha = config.alpha
    if config.auto_alpha:
        log_alpha = nn.Parameter(torch.tensor([np.log(config.alpha)], dtype=torch.float32))
        optim = Adam([log_alpha], config.learning_rate) if training else None
        alpha = -float(np.prod(spaces.action_shape)), log_alpha, optim
    return SACPolicy(
        actor,
        optimizer_of(config, actor, training),
        critic1,
        optimizer_of(config, critic1, training),
        critic2,
        optimizer_of(config, critic2, training),
        alpha=alpha,
        action_space=spaces.action,
        observation_space=spaces.observation,
        config=config,
    )
