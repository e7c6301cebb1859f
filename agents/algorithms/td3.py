"""Twin delayed DDPG (Fujimoto, van Hoof and Meger 2018, arXiv 1802.09477).

Three remedies for overestimating critics: targets take the smaller of two critics, noise smooths the target's action,
and the actor and the targets are updated less often than the critics.
"""

from typing import Any, Literal, Protocol, runtime_checkable

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.configs.actors import TD3Config
from agents.learning import checks
from agents.learning.action_mapping import ActionMapping
from agents.learning.exploration import BaseNoise
from agents.learning.gradients import descend
from agents.learning.options import one_config
from agents.learning.q_actor import DeterministicActor, obs_tensor, optimizer_of, smallest_q
from agents.networks.builders import body_of, q_critic
from agents.networks.continuous import Actor
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.base import BasePolicy
from arena.policy.registration import Spaces


@runtime_checkable
class Bounded(Protocol):
    """A network whose actions lie within ±`max_action`."""

    max_action: float


class TD3Policy(DeterministicActor, BasePolicy):
    """TD3 for continuous actions.

    Args:
        actor: maps observations to actions [n, k] and a hidden state; its `max_action`, if any, bounds target actions.
        actor_optim: optimizer of the actor; None for a policy that only plays.
        critic1: maps observations and actions to values [n, 1].
        critic1_optim: optimizer of the first critic.
        critic2: the second critic.
        critic2_optim: optimizer of the second critic.
        tau: as in `TD3Config`.
        gamma: as in `TD3Config`.
        exploration_noise: as in `QActor`; by default normal, with standard deviation 0.1.
        policy_noise: standard deviation of the noise on the target's actions.
        update_actor_freq: critic updates per update of the actor and the targets.
        noise_clip: bound of the noise on the target's actions.
        reward_normalization: not defined for n-step targets; leave it at False.
        estimation_step: as in `TD3Config`.
        action_scaling: as in `ActionMapping`.
        action_bound_method: as in `ActionMapping`.
        lr_scheduler: stepped once per update.
        action_space: as in `BasePolicy`.
        observation_space: as in `BasePolicy`.
        config: all options at once, in place of those one by one.

    """

    config: TD3Config

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
        exploration_noise: BaseNoise | float | None = 0.1,
        policy_noise: float = 0.2,
        update_actor_freq: int = 2,
        noise_clip: float = 0.5,
        reward_normalization: bool = False,
        estimation_step: int = 1,
        action_scaling: bool = True,
        action_bound_method: Literal["clip", "tanh", ""] = "clip",
        lr_scheduler: torch.optim.lr_scheduler.LRScheduler | None = None,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
        config: TD3Config | None = None,
    ):
        critics = [(critic1, critic1_optim), (critic2, critic2_optim)]
        checks.require_raw_rewards(reward_normalization)
        options = TD3Config(
            tau=tau,
            gamma=gamma,
            estimation_step=estimation_step,
            policy_noise=policy_noise,
            update_actor_freq=update_actor_freq,
            noise_clip=noise_clip,
        )
        config = one_config(self, config, options)
        mapping = ActionMapping(action_scaling, action_bound_method, action_space, observation_space)
        super().__init__(actor, actor_optim, critics, config, exploration_noise, mapping)
        self.lr_scheduler = lr_scheduler
        self._updates: torch.Tensor
        self.register_buffer("_updates", torch.zeros((), dtype=torch.int64))  # saved with the weights
        self.max_action = actor.max_action if isinstance(actor, Bounded) else float("inf")
        self._actor_figures = {"loss/actor": 0.0}  # of its latest update

    def _target_q(self, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> torch.Tensor:
        """Return the smaller of two values (equation 10) of the smoothed target actions (equation 14)."""
        obs_next = obs_tensor(buffer.obs_next_at(indices), self.device)
        act = self.actor_old(obs_next)[0]
        noise = torch.randn(act.shape, generator=self.generator).to(act) * self.config.policy_noise
        bound = self.config.noise_clip
        act = (act + noise.clamp(-bound, bound)).clamp(-self.max_action, self.max_action)
        return smallest_q(self.critics_old, obs_next, act)

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take one update (algorithm 1); return the latest `loss/actor`, `loss/critic1` and `loss/critic2`."""
        obs = obs_tensor(batch.obs, self.device)
        figures = self.fit_critics(obs, batch)
        if self._updates % self.config.update_actor_freq == 0:
            actor_loss = -self.critics[0](obs, self.actor(obs)[0]).mean()
            step = descend(actor_loss, self.actor_optim)
            self._actor_figures = {"loss/actor": actor_loss.item(), **step}
            self.sync_weight()
        self._updates += 1
        return {**self._actor_figures, **figures}


def build(spaces: Spaces, config: TD3Config, training: bool) -> TD3Policy:
    """Build a TD3 policy, with optimizers if it is to be trained."""
    sizes = (config.hidden, config.hidden)
    actor = Actor(body_of(spaces, sizes), spaces.action_shape)
    critic1, critic2 = q_critic(spaces, sizes), q_critic(spaces, sizes)
    return TD3Policy(
        actor,
        optimizer_of(config, actor, training),
        critic1,
        optimizer_of(config, critic1, training),
        critic2,
        optimizer_of(config, critic2, training),
        exploration_noise=config.exploration_noise,
        action_space=spaces.action,
        observation_space=spaces.observation,
        config=config,
    )
