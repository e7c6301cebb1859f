"""Batch-constrained Q-learning (Fujimoto, Meger and Precup 2019, arXiv 1812.02900), for continuous actions.

Offline: a generative model proposes actions like those of the data, a small network changes them a little, and two
critics choose among them; so that values of actions that nobody ever took are never asked for.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents import checks
from agents.gradients import adam, descend
from agents.networks.builders import q_critic
from agents.networks.common import MLP, Net, flat_size
from agents.networks.continuous import VAE, Perturbation
from agents.q_actor import QActorOptions, QActorPolicy
from arena.config import require_above, require_at_least, require_between
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces


class BCQPolicy(QActorPolicy):
    """BCQ.

    Args:
        actor: a `Perturbation`: from observations and actions to changed actions [n, k].
        actor_optim: its optimizer; None for a policy that only plays.
        critic1: from observations and actions to values [n, 1].
        critic1_optim: its optimizer.
        critic2: a second one.
        critic2_optim: its optimizer.
        vae: generates actions like those of the data.
        vae_optim: its optimizer.
        device: where the networks are put.
        gamma: discount, 0 to 1.
        tau: how far the targets go towards their models with each update, 0 to 1.
        lmbda: weight of the smaller of two values in a target, 0 to 1.
        forward_sampled_times: actions among which it chooses when it acts.
        num_sampled_action: actions among which a target chooses.
        options: those of `QActorPolicy`.

    """

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
        **options: Unpack[QActorOptions],
    ):
        critics = [(critic1, critic1_optim), (critic2, critic2_optim)]
        super().__init__(actor, actor_optim, critics, tau, gamma, None, **options)
        checks.require_continuous(self, self.action_space)
        checks.require_between(0, 1, lmbda=lmbda)
        checks.require_at_least(1, forward_sampled_times=forward_sampled_times, num_sampled_action=num_sampled_action)
        self.vae, self.vae_optim, self.lmbda = vae, vae_optim, lmbda
        self.forward_sampled_times, self.num_sampled_action = forward_sampled_times, num_sampled_action
        self.actor_old = self.follow(actor)
        self.to(device)

    @torch.no_grad()
    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Of actions proposed and changed, those [n, k] that the first critic values most (section 4.2)."""
        obs = self.seen(batch.obs)
        many = obs.repeat_interleave(self.forward_sampled_times, dim=0)
        act = self.actor(many, self.vae.decode(many, generator=self.generator))
        best = self.critics[0](many, act).view(len(obs), -1).argmax(dim=1)
        act = act.view(len(obs), self.forward_sampled_times, -1)[torch.arange(len(obs)), best]
        self.require_fit(act)
        return Batch(act=act.numpy(force=True), state=state)

    def _target_q(self, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> torch.Tensor:
        """The best of several actions, by a mean of both critics that leans to the smaller (section 4.2)."""
        obs = self.seen(buffer[indices].obs_next).repeat_interleave(self.num_sampled_action, dim=0)
        act = self.actor_old(obs, self.vae.decode(obs, generator=self.generator))
        values = torch.stack([critic(obs, act).flatten() for critic in self.critics_old])
        q = self.lmbda * values.amin(dim=0) + (1 - self.lmbda) * values.amax(dim=0)
        return q.view(-1, self.num_sampled_action).amax(dim=1)

    def learn(self, batch: Batch) -> dict[str, float]:
        """One update (algorithm 1); `loss/actor`, `loss/critic1`, `loss/critic2`, `loss/vae`."""
        obs = self.seen(batch.obs)
        vae_loss = self._vae_loss(obs, torch.as_tensor(batch.act, device=obs.device))
        descend(vae_loss, self.vae_optim)
        figures = self.fit_critics(obs, batch)
        proposed = self.vae.decode(obs, generator=self.generator).detach()
        actor_loss = -self.critics[0](obs, self.actor(obs, proposed)).mean()  # section 4.2
        descend(actor_loss, self.actor_optim)
        self.sync_weight()
        return {"loss/actor": actor_loss.item(), **figures, "loss/vae": vae_loss.item()}

    def _vae_loss(self, obs: torch.Tensor, act: torch.Tensor) -> torch.Tensor:
        """How unlike rebuilt actions are, and how far latents diverge from N(0, 1)."""
        rebuilt, mean, std = self.vae(obs, act, self.generator)
        divergence = (0.5 * (std.square() + mean.square() - 1.0) - std.log()).mean()
        return nn.functional.mse_loss(rebuilt, act) + 0.5 * divergence


@dataclass(frozen=True)
class BCQConfig:
    """How BCQ learns."""

    learning_rate: float = 1e-3
    """Step size of Adam, for all networks."""
    discount: float = 0.99
    """Gamma, in the agent's own moves, 0 to 1."""
    tau: float = 0.005
    """How far targets go towards their models with each update, 0 to 1."""
    smaller_weight: float = 0.75
    """Weight of the smaller of two values in a target (lambda), 0 to 1."""
    perturbation: float = 0.05
    """How far a proposed action may be changed (phi), as a part of its bound."""
    acting_samples: int = 100
    """Actions among which it chooses when it acts."""
    target_samples: int = 10
    """Actions among which a target chooses."""
    batch_size: int = 256
    """Transitions a gradient step."""
    hidden: int = 128
    """Units of each of two hidden layers."""

    def __post_init__(self) -> None:
        require_above(self, 0, "learning_rate")
        require_at_least(self, 0, "perturbation")
        require_at_least(self, 1, "acting_samples", "target_samples", "batch_size", "hidden")
        require_between(self, 0, 1, "discount", "tau", "smaller_weight")


def build(spaces: Spaces, config: BCQConfig, training: bool) -> BCQPolicy:
    """A BCQ policy, with optimizers if it is to be trained; twice as many latents as an action has numbers."""
    sizes, seen, size = (config.hidden, config.hidden), flat_size(spaces.observation_shape), spaces.action_shape[0]
    actor = Perturbation(Net(seen + size, size, sizes), max_action=1.0, phi=config.perturbation)
    encoder, decoder = MLP(seen + size, 0, sizes), MLP(seen + 2 * size, size, sizes)
    vae = VAE(encoder, decoder, config.hidden, latent_dim=2 * size, max_action=1.0)
    critic1, critic2 = q_critic(spaces, sizes), q_critic(spaces, sizes)

    def optimizer(network: nn.Module) -> torch.optim.Optimizer | None:
        return adam(network.parameters(), config.learning_rate) if training else None

    return BCQPolicy(
        actor,
        optimizer(actor),
        critic1,
        optimizer(critic1),
        critic2,
        optimizer(critic2),
        vae,
        optimizer(vae),
        gamma=config.discount,
        tau=config.tau,
        lmbda=config.smaller_weight,
        forward_sampled_times=config.acting_samples,
        num_sampled_action=config.target_samples,
        action_space=spaces.action,
        observation_space=spaces.observation,
    )


ALGORITHM = Algorithm(BCQConfig, build, "offline", "arXiv 1812.02900", ("continuous",))
AGENT = AgentKind("batch-constrained Q-learning", partial(load_policy, "bcq", ALGORITHM), "DIR", ALGORITHM)
