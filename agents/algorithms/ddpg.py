"""Deep deterministic policy gradient (Lillicrap et al. 2015, arXiv 1509.02971).

A critic learns the values of continuous actions, and an actor learns the action of the highest value. Both learn from
replayed transitions with slow target networks; noise on the actions explores.
"""

from typing import Any, Literal

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.configs.actors import DDPGConfig
from agents.learning import checks
from agents.learning.action_mapping import ActionMapping
from agents.learning.exploration import BaseNoise
from agents.learning.gradients import descend
from agents.learning.options import one_config
from agents.learning.q_actor import DeterministicActor, obs_tensor, optimizer_of
from agents.networks.builders import body_of, q_critic
from agents.networks.continuous import Actor
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.base import BasePolicy
from arena.policy.registration import Spaces


class DDPGPolicy(DeterministicActor, BasePolicy):
    """DDPG for continuous actions.

    Args:
        actor: maps observations to actions [n, k] and a hidden state.
        actor_optim: optimizer of the actor; None for a policy that only plays.
        critic: maps observations and actions to values [n, 1].
        critic_optim: optimizer of the critic.
        tau: as in `DDPGConfig`.
        gamma: as in `DDPGConfig`.
        exploration_noise: as in `QActor`; by default normal, with standard deviation 0.1.
        reward_normalization: not defined for n-step targets; leave it at False.
        estimation_step: as in `DDPGConfig`.
        action_scaling: as in `ActionMapping`.
        action_bound_method: as in `ActionMapping`.
        lr_scheduler: stepped once per update.
        action_space: as in `BasePolicy`.
        observation_space: as in `BasePolicy`.
        config: all options at once, in place of those one by one.

    """

    config: DDPGConfig

    def __init__(
        self,
        actor: nn.Module,
        actor_optim: torch.optim.Optimizer | None,
        critic: nn.Module,
        critic_optim: torch.optim.Optimizer | None,
        tau: float = 0.005,
        gamma: float = 0.99,
        exploration_noise: BaseNoise | float | None = 0.1,
        reward_normalization: bool = False,
        estimation_step: int = 1,
        action_scaling: bool = True,
        action_bound_method: Literal["clip", "tanh", ""] = "clip",
        lr_scheduler: torch.optim.lr_scheduler.LRScheduler | None = None,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
        config: DDPGConfig | None = None,
    ):
        checks.require_raw_rewards(reward_normalization)
        options = DDPGConfig(
            tau=tau,
            gamma=gamma,
            estimation_step=estimation_step,
        )
        config = one_config(self, config, options)
        mapping = ActionMapping(action_scaling, action_bound_method, action_space, observation_space)
        super().__init__(actor, actor_optim, [(critic, critic_optim)], config, exploration_noise, mapping)
        self.lr_scheduler = lr_scheduler

    def _target_q(self, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> torch.Tensor:
        obs_next = obs_tensor(buffer.obs_next_at(indices), self.device)
        return self.critics_old[0](obs_next, self.actor_old(obs_next)[0]).flatten()  # Q'(s', mu'(s')) of algorithm 1

    def learn(self, batch: Batch) -> dict[str, float]:
        """Update critic, actor and targets once (algorithm 1); return `loss/actor` and `loss/critic`."""
        obs = obs_tensor(batch.obs, self.device)
        figures = self.fit_critics(obs, batch)
        # equation 6: the actor goes where the critic's value grows
        actor_loss = -self.critics[0](obs, self.actor(obs)[0]).mean()
        step = descend(actor_loss, self.actor_optim)
        self.sync_weight()
        return {"loss/actor": actor_loss.item(), **figures, **step}


def build(spaces: Spaces, config: DDPGConfig, training: bool) -> DDPGPolicy:
    """Build a DDPG policy, with optimizers if it is to be trained."""
    sizes = (config.hidden, config.hidden)
    actor, critic = Actor(body_of(spaces, sizes), spaces.action_shape), q_critic(spaces, sizes)
    return DDPGPolicy(
        actor,
        optimizer_of(config, actor, training),
        critic,
        optimizer_of(config, critic, training),
        exploration_noise=config.exploration_noise,
        action_space=spaces.action,
        observation_space=spaces.observation,
        config=config,
    )
