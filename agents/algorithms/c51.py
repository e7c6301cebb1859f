"""C51, a categorical deep Q-network (Bellemare et al. 2017, arXiv 1707.06887).

A network estimates, for each action, a distribution over N fixed returns (atoms). The target is the distribution of the
next observation's best action, shifted by the rewards in between and projected onto the atoms. Unlike in the paper,
that action is chosen by double learning unless `is_double` is False.
"""

from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.configs.value_based import C51Config
from agents.learning import checks
from agents.learning.options import one_config
from agents.learning.value_learning import QLearner, TargetQ, chosen, make_trainable, masked_q, weighted_mean
from agents.networks.builders import make_body
from agents.networks.q_network import QNetwork
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.data.rows import as_array
from arena.policy.base import BasePolicy
from arena.policy.registration import Spaces


class C51Policy(QLearner, BasePolicy):
    """Categorical deep Q-learning for discrete actions, with masks.

    `model` gives probabilities of atoms [n, A, N]: `Net(..., softmax=True, num_atoms=N)`. The N = `num_atoms` atoms are
    equally spaced from `v_min` to `v_max`. The other arguments are those of `DQNPolicy`.
    """

    support: torch.Tensor

    def __init__(
        self,
        model: nn.Module,
        optim: torch.optim.Optimizer | None,
        discount_factor: float = 0.99,
        num_atoms: int = 51,
        v_min: float = -10.0,
        v_max: float = 10.0,
        estimation_step: int = 1,
        target_update_freq: int = 0,
        reward_normalization: bool = False,
        is_double: bool = True,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
        config: C51Config | None = None,
    ):
        checks.require_raw_rewards(reward_normalization)
        options = C51Config(
            discount_factor=discount_factor,
            estimation_step=estimation_step,
            target_update_freq=target_update_freq,
            is_double=is_double,
            num_atoms=num_atoms,
            v_min=v_min,
            v_max=v_max,
        )
        config = one_config(self, config, options)
        super().__init__(model, optim, config, action_space, observation_space)
        self.register_buffer("support", support_of(config))

    def compute_q_value(self, logits: torch.Tensor, mask: Any) -> torch.Tensor:
        """Return Q-values [n, A], the means of the distributions [n, A, N]; those of illegal actions are lowest."""
        return masked_q(means(logits, self.support), mask, self.action_space)

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add `returns` [n, N], the shifted atoms, and their probabilities `next_dist` [n, N]."""
        return self.nstep_returns(batch, buffer, indices, Atoms(self._target_q, self.support, batch))

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take one gradient step on the cross-entropy with the projected target (algorithm 1); return its `loss`."""
        loss = cross_entropy(chosen(self.evaluate(batch.obs).logits, batch.act), batch, self.support)
        return {"loss": loss.item(), **self._step(loss)}


def support_of(config: C51Config) -> torch.Tensor:
    """Return the atoms [N], equally spaced."""
    return torch.linspace(config.v_min, config.v_max, config.num_atoms)


def means(probs: torch.Tensor, support: torch.Tensor) -> torch.Tensor:
    """Return the means [n, A] of distributions [n, A, N] over atoms; raise `UsageError` for another shape."""
    if probs.ndim != 3 or probs.shape[2] != len(support):
        raise UsageError(f"the network gives {tuple(probs.shape)}, not [n, A, {len(support)}]: softmax, num_atoms")
    return probs @ support


@dataclass(frozen=True)
class Atoms:
    """Gives the atoms as the values of next observations, and notes their probabilities in the batch."""

    probabilities: TargetQ
    """Probabilities [n, N] of the atoms at the next observations."""
    support: torch.Tensor
    """The atoms, [N]."""
    batch: Batch
    """Receives `next_dist` [n, N]."""

    def __call__(self, buffer: ReplayBuffer, last: NDArray[np.int64]) -> torch.Tensor:
        """Return the atoms once for each place, [n, N]."""
        self.batch.next_dist = self.probabilities(buffer, last)
        return self.support.expand(len(last), -1)


def cross_entropy(probs: torch.Tensor, batch: Batch, support: torch.Tensor) -> torch.Tensor:
    """Return the mean loss of the probabilities [n, N] of the actions taken against the projected targets.

    Writes the loss of each row to `batch.weight`, the new priorities of a prioritized buffer.
    """
    p = probs.clamp_min(1e-8)  # p_i(x, a), [n, N]
    m = project(batch.next_dist, batch.returns, support)  # [n, N]
    losses = -(m * p.log()).sum(dim=1)  # algorithm 1: -sum_i m_i log p_i(x, a)
    loss = weighted_mean(losses, batch)
    batch.weight = as_array(losses)
    return loss


def project(probs: torch.Tensor, places: torch.Tensor, support: torch.Tensor) -> torch.Tensor:
    """Project atoms at `places` [n, N] with probabilities `probs` [n, N] onto the atoms `support` [N].

    Each probability is divided between the two nearest atoms in proportion to closeness; beyond the ends it goes to the
    last atom (equation 7).
    """
    low, high, step = support[0], support[-1], support[1] - support[0]
    distance = (places.clamp(low, high)[:, None, :] - support[:, None]).abs() / step  # [n, N of the support, N]
    return ((1 - distance).clamp(0, 1) * probs[:, None, :]).sum(dim=2)


def build(spaces: Spaces, config: C51Config, training: bool) -> C51Policy:
    """Build a C51 policy, with an optimizer if it is to be trained."""
    body = make_body(spaces, config.hidden, config.blocks)
    policy = C51Policy(
        QNetwork(body, spaces.num_actions, config.num_atoms, softmax=True),
        None,
        action_space=spaces.action,
        observation_space=spaces.observation,
        config=config,
    )
    make_trainable(policy, config, training)
    return policy
