"""Batch-constrained Q-learning (Fujimoto, Meger and Precup 2019, arXiv 1812.02900), for continuous actions.

Offline: a generative model proposes actions similar to the data, a perturbation network changes them slightly, and two
critics choose among them, so that values of actions outside the data are not used.
"""

from typing import Any, Literal

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.configs.actors import BCQConfig
from agents.learning import checks
from agents.learning.action_mapping import ActionMapping
from agents.learning.gradients import descend
from agents.learning.optimizer import Adam
from agents.learning.options import one_config
from agents.learning.q_actor import QActor, obs_tensor
from agents.networks.builders import q_critic
from agents.networks.common import MLP, Net, flat_size
from agents.networks.continuous import VAE, Perturbation
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.base import BasePolicy
from arena.policy.registration import Spaces


class BCQPolicy(QActor, BasePolicy):
    """BCQ for continuous actions.

    Args:
        actor: a `Perturbation`: maps observations and actions to changed actions [n, k].
        actor_optim: optimizer of the actor; None for a policy that only plays.
        critic1: maps observations and actions to values [n, 1].
        critic1_optim: optimizer of the first critic.
        critic2: the second critic.
        critic2_optim: optimizer of the second critic.
        vae: generates actions similar to those of the data.
        vae_optim: optimizer of the generative model.
        device: device of the networks.
        gamma: as in `BCQConfig`.
        tau: as in `BCQConfig`.
        lmbda: weight of the smaller of two values in a target, 0 to 1.
        forward_sampled_times: number of actions sampled for acting, at least 1.
        num_sampled_action: number of actions sampled for a target, at least 1.
        reward_normalization: not defined for n-step targets; leave it at False.
        estimation_step: as in `BCQConfig`.
        action_scaling: as in `ActionMapping`.
        action_bound_method: as in `ActionMapping`.
        lr_scheduler: stepped once per update.
        action_space: as in `BasePolicy`.
        observation_space: as in `BasePolicy`.
        config: all options at once, in place of those one by one.

    """

    config: BCQConfig

    def __init__(
        self,
        actor: nn.Module,
        actor_optim: torch.optim.Optimizer | None,
        critic1: nn.Module,
        critic1_optim: torch.optim.Optimizer | None,
        critic2: nn.Module,
        critic2_optim: torch.optim.Optimizer | None,
        vae: VAE,
        vae_optim: torch.optim.Optimizer | None,
        device: str | torch.device = "cpu",
        gamma: float = 0.99,
        tau: float = 0.005,
        lmbda: float = 0.75,
        forward_sampled_times: int = 100,
        num_sampled_action: int = 10,
        reward_normalization: bool = False,
        estimation_step: int = 1,
        action_scaling: bool = True,
        action_bound_method: Literal["clip", "tanh", ""] = "clip",
        lr_scheduler: torch.optim.lr_scheduler.LRScheduler | None = None,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
        config: BCQConfig | None = None,
    ):
        critics = [(critic1, critic1_optim), (critic2, critic2_optim)]
        checks.require_raw_rewards(reward_normalization)
        options = BCQConfig(
            tau=tau,
            gamma=gamma,
            estimation_step=estimation_step,
            lmbda=lmbda,
            forward_sampled_times=forward_sampled_times,
            num_sampled_action=num_sampled_action,
        )
        config = one_config(self, config, options)
        mapping = ActionMapping(action_scaling, action_bound_method, action_space, observation_space)
        super().__init__(actor, actor_optim, critics, config, None, mapping)
        self.lr_scheduler = lr_scheduler
        checks.require_continuous(self, self.action_space)
        self.vae, self.vae_optim = vae, vae_optim
        self.actor_old = self.follow(actor)
        self.to(device)

    @torch.no_grad()
    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Return, among sampled and perturbed actions, the ones [n, k] of the highest first critic (section 4.2)."""
        obs, samples = obs_tensor(batch.obs, self.device), self.config.forward_sampled_times
        many = obs.repeat_interleave(samples, dim=0)
        act = self.actor(many, self.vae.decode(many, generator=self.generator))
        best = self.critics[0](many, act).view(len(obs), -1).argmax(dim=1)
        act = act.view(len(obs), samples, -1)[torch.arange(len(obs)), best]
        self.require_fit(act)
        return Batch(act=act.numpy(force=True), state=state)

    def _target_q(self, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> torch.Tensor:
        """Return the value of the best sampled action, a mean of both critics weighted to the smaller (sec. 4.2)."""
        config = self.config
        obs = obs_tensor(buffer.obs_next_at(indices), self.device).repeat_interleave(config.num_sampled_action, dim=0)
        act = self.actor_old(obs, self.vae.decode(obs, generator=self.generator))
        values = torch.stack([critic(obs, act).flatten() for critic in self.critics_old])
        q = config.lmbda * values.amin(dim=0) + (1 - config.lmbda) * values.amax(dim=0)
        return q.view(-1, config.num_sampled_action).amax(dim=1)

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take one update (algorithm 1); return `loss/actor`, `loss/critic1`, `loss/critic2`, `loss/vae`."""
        obs = obs_tensor(batch.obs, self.device)
        vae_loss = self._vae_loss(obs, torch.as_tensor(batch.act, device=obs.device))
        descend(vae_loss, self.vae_optim)
        figures = self.fit_critics(obs, batch)
        proposed = self.vae.decode(obs, generator=self.generator).detach()
        actor_loss = -self.critics[0](obs, self.actor(obs, proposed)).mean()  # section 4.2
        step = descend(actor_loss, self.actor_optim)
        self.sync_weight()
        return {"loss/actor": actor_loss.item(), **figures, "loss/vae": vae_loss.item(), **step}

    def _vae_loss(self, obs: torch.Tensor, act: torch.Tensor) -> torch.Tensor:
        """Return the reconstruction error plus half the divergence of latents from N(0, 1)."""
        rebuilt, mean, std = self.vae(obs, act, self.generator)
        divergence = (0.5 * (std.square() + mean.square() - 1.0) - std.log()).mean()
        return nn.functional.mse_loss(rebuilt, act) + 0.5 * divergence


def build(spaces: Spaces, config: BCQConfig, training: bool) -> BCQPolicy:
    """Build a BCQ policy, with optimizers if it is to be trained.

    A latent has twice as many entries as an action.
    """
    sizes, obs_size, size = (config.hidden, config.hidden), flat_size(spaces.observation_shape), spaces.action_shape[0]
    actor = Perturbation(Net(obs_size + size, size, sizes), max_action=1.0, phi=config.phi)
    encoder, decoder = MLP(obs_size + size, 0, sizes), MLP(obs_size + 2 * size, size, sizes)
    vae = VAE(encoder, decoder, config.hidden, latent_dim=2 * size, max_action=1.0)
    critic1, critic2 = q_critic(spaces, sizes), q_critic(spaces, sizes)

    def optimizer(network: nn.Module) -> torch.optim.Optimizer | None:
        return Adam(network.parameters(), config.learning_rate) if training else None

    return BCQPolicy(
        actor,
        optimizer(actor),
        critic1,
        optimizer(critic1),
        critic2,
        optimizer(critic2),
        vae,
        optimizer(vae),
        action_space=spaces.action,
        observation_space=spaces.observation,
        config=config,
    )
