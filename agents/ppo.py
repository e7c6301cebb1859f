"""Proximal policy optimisation (Schulman et al. 2017, arXiv 1707.06347).

An actor-critic that takes several gradient steps on the same experience, and keeps each from moving the policy too
far by clipping the ratio of new to old probabilities. Dual clip: Ye et al. 2020, arXiv 1912.09729; advantages computed
anew: Andrychowicz et al. 2020, arXiv 2006.05990, section 3.5.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn.functional import mse_loss

from agents import checks
from agents.actor_critic import ActorCriticConfig, ActorCriticOptions, ActorCriticPolicy, Figures
from agents.distributions import log_probability
from agents.networks.builders import actor_critic_for
from agents.networks.common import ActorCritic
from agents.stochastic import DistFn, Minibatch
from arena.config import require_above
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces

KEYS = "adv", "returns", "logp_old", "v_s"


class PPOPolicy(ActorCriticPolicy):
    """PPO for numbered actions, with masks, and for continuous ones.

    Args:
        actor: as in `ActorCriticPolicy`.
        critic: as in `ActorCriticPolicy`.
        optim: optimizer of both; None for a policy that only plays.
        dist_fn: as in `StochasticPolicy`.
        eps_clip: how far the ratio may leave 1 (epsilon of equation 7).
        dual_clip: bound c > 1 of the dual clip, None for none.
        value_clip: clip the change of values as well.
        advantage_normalization: scale advantages to mean 0 and deviation 1 in each minibatch.
        recompute_advantage: compute values and advantages anew before each repetition.
        options: those of `ActorCriticPolicy`.

    """

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
        **options: Unpack[ActorCriticOptions],
    ):
        super().__init__(actor, critic, optim, dist_fn, **options)
        checks.require_above(0, eps_clip=eps_clip)
        checks.require_above(1, dual_clip=dual_clip)
        self.eps_clip, self.dual_clip, self.value_clip = eps_clip, dual_clip, value_clip
        self.advantage_normalization, self.recompute_advantage = advantage_normalization, recompute_advantage

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add advantages `adv` and `returns` [n] to everything that was collected, in the order of time."""
        if self.recompute_advantage:
            self._recent = buffer, indices  # what `learn` needs to look at the rows again
        return super().process_fn(batch, buffer, indices)

    def learn(self, batch: Batch, batch_size: int, repeat: int) -> Figures:
        """Go `repeat` times through the batch in random minibatches of about `batch_size`; figures of each step."""
        figures: Figures = defaultdict(list)
        data = self.tensors(batch, *KEYS)
        for repetition in range(repeat):
            if self.recompute_advantage and repetition > 0:
                batch.v_s = self.values(batch.obs)
                self.add_advantages(batch, *self._recent)
                data = self.tensors(batch, *KEYS)
            for part in self.minibatches(data, batch_size):
                clip_loss, value_loss, entropy = self._losses(part)
                loss = clip_loss + self.vf_coef * value_loss - self.ent_coef * entropy  # equation 9
                self.descend(loss)
                figures["loss"].append(loss.item())
                figures["loss/clip"].append(clip_loss.item())
                figures["loss/vf"].append(value_loss.item())
                figures["loss/ent"].append(entropy.item())
        return dict(figures)

    def _losses(self, part: Minibatch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Clipped surrogate (equation 7, as a loss), value loss, entropy: each the mean over a minibatch."""
        dist, value = self.look(part)
        advantage, returns = part["adv"], part["returns"]
        if self.advantage_normalization and len(advantage) > 1:
            deviation, mean = torch.std_mean(advantage)
            advantage = (advantage - mean) / (deviation + 1e-8)
        ratio = (log_probability(dist, part["act"]) - part["logp_old"]).exp()
        # what is gained or lost counts until the ratio has gone far enough: equation 7; arXiv 1912.09729, equation 5
        worse = advantage < 0
        lowest = torch.where(worse, 1 - self.eps_clip, 0.0)
        highest = torch.where(worse, torch.inf if self.dual_clip is None else self.dual_clip, 1 + self.eps_clip)
        surrogate = ratio.clamp(lowest, highest) * advantage
        if self.value_clip:
            near = part["v_s"] + (value - part["v_s"]).clamp(-self.eps_clip, self.eps_clip)
            value_loss = torch.max((returns - value).square(), (returns - near).square()).mean()
        else:
            value_loss = mse_loss(value, returns)
        return -surrogate.mean(), value_loss, dist.entropy().mean()


@dataclass(frozen=True)
class PPOConfig(ActorCriticConfig):
    """How PPO learns; the defaults are for two CPU cores."""

    learning_rate: float = 2.5e-3
    """Step size of Adam."""
    clip_ratio: float = 0.2
    """How far a probability ratio may leave 1."""
    batch_size: int = 2048
    """Transitions a gradient step."""
    repeat: int = 3
    """Passes through what was collected."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(self, 0, "clip_ratio")


def build(spaces: Spaces, config: PPOConfig, training: bool) -> PPOPolicy:
    """A PPO policy, with an optimizer if it is to be trained."""
    actor, critic = actor_critic_for(spaces, config.hidden, config.channels)
    optim = config.optimizer(ActorCritic(actor, critic), training)
    return PPOPolicy(actor, critic, optim, eps_clip=config.clip_ratio, **config.options(spaces))


ALGORITHM = Algorithm(PPOConfig, build, "on-policy", "arXiv 1707.06347", ("discrete", "continuous"))
AGENT = AgentKind("proximal policy optimisation", partial(load_policy, "ppo", ALGORITHM), "DIR", ALGORITHM)
