"""Twin delayed DDPG (Fujimoto, van Hoof and Meger 2018, arXiv 1802.09477).

Three cures for a critic that promises too much: targets take the smaller of two critics, smooth the target's action
with noise, and the actor and the targets move less often than the critics.
"""

from dataclasses import dataclass
from functools import partial
from typing import Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents import checks
from agents.exploration import BaseNoise
from agents.gradients import descend
from agents.networks.builders import body_of, q_critic
from agents.networks.continuous import Actor
from agents.q_actor import DeterministicPolicy, QActorConfig, QActorOptions, smallest_q
from arena.config import require_at_least
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces


class TD3Policy(DeterministicPolicy):
    """TD3.

    Args:
        actor: from observations to actions [n, k] and a hidden state; with a bound `max_action`, targets keep to it.
        actor_optim: its optimizer; None for a policy that only plays.
        critic1: from observations and actions to values [n, 1].
        critic1_optim: its optimizer.
        critic2: a second one.
        critic2_optim: its optimizer.
        tau: how far the targets go towards their models, 0 to 1.
        gamma: discount, 0 to 1.
        exploration_noise: as in `QActorPolicy`; by default normal, of deviation 0.1.
        policy_noise: deviation of the noise upon the target's actions.
        update_actor_freq: updates of the critics for one of the actor and the targets.
        noise_clip: bound of that noise.
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
        tau: float = 0.005,
        gamma: float = 0.99,
        exploration_noise: BaseNoise | float | None = 0.1,
        policy_noise: float = 0.2,
        update_actor_freq: int = 2,
        noise_clip: float = 0.5,
        **options: Unpack[QActorOptions],
    ):
        critics = [(critic1, critic1_optim), (critic2, critic2_optim)]
        super().__init__(actor, actor_optim, critics, tau, gamma, exploration_noise, **options)
        checks.require_at_least(0, policy_noise=policy_noise, noise_clip=noise_clip)
        checks.require_at_least(1, update_actor_freq=update_actor_freq)
        self.policy_noise, self.update_actor_freq, self.noise_clip = policy_noise, update_actor_freq, noise_clip
        self._updates: torch.Tensor
        self.register_buffer("_updates", torch.zeros((), dtype=torch.int64))  # saved with the weights
        self._actor_loss = 0.0

    def _target_q(self, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> torch.Tensor:
        """Smoothed actions (equation 14), and the smaller of two values (equation 10)."""
        obs_next = self.seen(buffer[indices].obs_next)
        act = self.actor_old(obs_next)[0]
        noise = torch.randn(act.shape, generator=self.generator).to(act) * self.policy_noise
        bound = getattr(self.actor_old, "max_action", float("inf"))
        act = (act + noise.clamp(-self.noise_clip, self.noise_clip)).clamp(-bound, bound)
        return smallest_q(self.critics_old, obs_next, act)

    def learn(self, batch: Batch) -> dict[str, float]:
        """One update (algorithm 1); `loss/actor`, the last there was, `loss/critic1`, `loss/critic2`."""
        obs = self.seen(batch.obs)
        figures = self.fit_critics(obs, batch)
        if self._updates % self.update_actor_freq == 0:
            actor_loss = -self.critics[0](obs, self.actor(obs)[0]).mean()
            descend(actor_loss, self.actor_optim)
            self._actor_loss = actor_loss.item()
            self.sync_weight()
        self._updates += 1
        return {"loss/actor": self._actor_loss, **figures}


@dataclass(frozen=True)
class TD3Config(QActorConfig):
    """How TD3 learns."""

    noise: float = 0.1
    """Deviation of the noise upon actions, which lie within ±1."""
    policy_noise: float = 0.2
    """Deviation of the noise upon the target's actions."""
    noise_clip: float = 0.5
    """Bound of that noise."""
    update_actor_freq: int = 2
    """Updates of the critics for one of the actor and the targets."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(self, 0, "noise", "policy_noise", "noise_clip")
        require_at_least(self, 1, "update_actor_freq")


def build(spaces: Spaces, config: TD3Config, training: bool) -> TD3Policy:
    """A TD3 policy, with optimizers if it is to be trained."""
    sizes = (config.hidden, config.hidden)
    actor = Actor(body_of(spaces, sizes), spaces.action_shape)
    critic1, critic2 = q_critic(spaces, sizes), q_critic(spaces, sizes)
    return TD3Policy(
        actor,
        config.optimizer(actor, training),
        critic1,
        config.optimizer(critic1, training),
        critic2,
        config.optimizer(critic2, training),
        config.tau,
        config.discount,
        config.noise,
        config.policy_noise,
        config.update_actor_freq,
        config.noise_clip,
        **config.options(spaces),
    )


ALGORITHM = Algorithm(TD3Config, build, "off-policy", "arXiv 1802.09477", ("continuous",))
AGENT = AgentKind("twin delayed DDPG", partial(load_policy, "td3", ALGORITHM), "DIR", ALGORITHM)
