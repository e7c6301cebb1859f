"""Deep deterministic policy gradient (Lillicrap et al. 2015, arXiv 1509.02971).

A critic learns the value of continuous actions, an actor learns the action that it values most; both from remembered
transitions, with targets that follow them slowly, and with noise upon the actions for exploration.
"""

from dataclasses import dataclass
from functools import partial
from typing import Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.exploration import BaseNoise
from agents.gradients import descend
from agents.networks.builders import body_of, q_critic
from agents.networks.continuous import Actor
from agents.q_actor import DeterministicPolicy, QActorConfig, QActorOptions
from arena.config import require_at_least
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces


class DDPGPolicy(DeterministicPolicy):
    """DDPG.

    Args:
        actor: from observations to actions [n, k] and a hidden state.
        actor_optim: its optimizer; None for a policy that only plays.
        critic: from observations and actions to values [n, 1].
        critic_optim: its optimizer.
        tau: how far the targets go towards their models with each update, 0 to 1.
        gamma: discount, 0 to 1.
        exploration_noise: as in `QActorPolicy`; by default normal, of deviation 0.1.
        options: those of `QActorPolicy`.

    """

    def __init__(
        self,
        actor: nn.Module,
        actor_optim: torch.optim.Optimizer | None,
        critic: nn.Module,
        critic_optim: torch.optim.Optimizer | None,
        tau: float = 0.005,
        gamma: float = 0.99,
        exploration_noise: BaseNoise | float | None = 0.1,
        **options: Unpack[QActorOptions],
    ):
        super().__init__(actor, actor_optim, [(critic, critic_optim)], tau, gamma, exploration_noise, **options)

    def _target_q(self, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> torch.Tensor:
        obs_next = self.seen(buffer[indices].obs_next)
        return self.critics_old[0](obs_next, self.actor_old(obs_next)[0]).flatten()  # Q'(s', mu'(s')) of algorithm 1

    def learn(self, batch: Batch) -> dict[str, float]:
        """One update of critic, actor and targets (algorithm 1); `loss/actor`, `loss/critic`."""
        obs = self.seen(batch.obs)
        figures = self.fit_critics(obs, batch)
        # equation 6: the actor goes where the critic's value grows
        actor_loss = -self.critics[0](obs, self.actor(obs)[0]).mean()
        descend(actor_loss, self.actor_optim)
        self.sync_weight()
        return {"loss/actor": actor_loss.item(), **figures}


@dataclass(frozen=True)
class DDPGConfig(QActorConfig):
    """How DDPG learns."""

    noise: float = 0.1
    """Deviation of the noise upon actions, which lie within ±1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(self, 0, "noise")


def build(spaces: Spaces, config: DDPGConfig, training: bool) -> DDPGPolicy:
    """A DDPG policy, with optimizers if it is to be trained."""
    sizes = (config.hidden, config.hidden)
    actor, critic = Actor(body_of(spaces, sizes), spaces.action_shape), q_critic(spaces, sizes)
    return DDPGPolicy(
        actor,
        config.optimizer(actor, training),
        critic,
        config.optimizer(critic, training),
        config.tau,
        config.discount,
        config.noise,
        **config.options(spaces),
    )


ALGORITHM = Algorithm(DDPGConfig, build, "off-policy", "arXiv 1509.02971", ("continuous",))
AGENT = AgentKind("deep deterministic policy gradient", partial(load_policy, "ddpg", ALGORITHM), "DIR", ALGORITHM)
