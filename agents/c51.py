"""C51, a categorical deep Q-network (Bellemare et al. 2017, arXiv 1707.06887).

A network estimates how likely each of N fixed returns (atoms) is for each action. The target is the distribution of
the next observation's best action, moved by the rewards in between and projected back upon the atoms. Unlike the
paper, the action is chosen by double learning unless `is_double` says otherwise.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents import checks
from agents.networks.q_network import QNetwork, make_body
from agents.value_learning import SINGLE, ValueConfig, ValuePolicy, chosen, make_trainable, masked_q, weighted_mean
from arena.config import require_above, require_at_least
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.data.rows import as_array
from arena.errors import UsageError
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces


class C51Policy(ValuePolicy):
    """Categorical deep Q-learning for discrete actions, with masks.

    `model` gives probabilities of atoms [n, A, N]: `Net(..., softmax=True, num_atoms=N)`. The N = `num_atoms` atoms lie
    at equal distances from `v_min` to `v_max`. The other arguments are those of `ValuePolicy`.
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
    ):
        targets = discount_factor, estimation_step, target_update_freq, reward_normalization, is_double
        super().__init__(model, optim, *targets, action_space, observation_space)
        checks.require_at_least(2, num_atoms=num_atoms)
        if not v_min < v_max:
            raise UsageError(f"v_min={v_min} is not below v_max={v_max}")
        self.register_buffer("support", torch.linspace(v_min, v_max, num_atoms))

    def compute_q_value(self, logits: torch.Tensor, mask: Any) -> torch.Tensor:
        """Q-values [n, A]: expected returns under the probabilities [n, A, N]; those of illegal actions lie lowest."""
        if logits.ndim != 3 or logits.shape[2] != len(self.support):
            raise UsageError(
                f"the network gives {tuple(logits.shape)}, not [n, A, {len(self.support)}]: softmax, num_atoms"
            )
        return masked_q(logits @ self.support, mask, self.action_space)

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add `returns` [n, N], where each atom lands after the rewards, and its chance `next_dist` [n, N]."""

        def atoms(buffer: ReplayBuffer, last: NDArray[np.int64]) -> torch.Tensor:
            batch.next_dist = self._target_q(buffer, last)
            return self.support.expand(len(last), -1)

        return self.compute_nstep_return(batch, buffer, indices, atoms, self.gamma, self.n_step, self.rew_norm)

    def learn(self, batch: Batch) -> dict[str, float]:
        """One gradient step on the cross-entropy with the projected target (algorithm 1); returns its `loss`."""
        dist = chosen(self.look(batch.obs).logits, batch.act)
        target = project(batch.next_dist, batch.returns, self.support)
        error = -(target * dist.clamp_min(1e-8).log()).sum(dim=1)
        loss = weighted_mean(error, batch)
        batch.weight = as_array(error)  # the new priorities of a prioritized buffer
        self._step(loss)
        return {"loss": loss.item()}


def project(probs: torch.Tensor, places: torch.Tensor, support: torch.Tensor) -> torch.Tensor:
    """Chances [n, N] of atoms that lie at `places` [n, N], given to the nearest atoms of `support` [N].

    Each is divided between its two neighbours, the nearer one getting more; beyond the ends all goes to the last one
    (equation 7).
    """
    low, high, step = support[0], support[-1], support[1] - support[0]
    distance = (places.clamp(low, high)[:, None, :] - support[:, None]).abs() / step  # [n, N of the support, N]
    return ((1 - distance).clamp(0, 1) * probs[:, None, :]).sum(dim=2)


@dataclass(frozen=True)
class C51Config(ValueConfig):
    """How C51 learns."""

    num_atoms: int = 51
    """Returns that are told apart."""
    v_min: float = -1.0
    """The smallest return."""
    v_max: float = 1.0
    """The largest return."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(self, 2, "num_atoms")
        require_above(self, float("-inf"), "v_min")
        require_above(self, self.v_min, "v_max")


def build(spaces: Spaces, config: C51Config, training: bool) -> C51Policy:
    """A C51 policy for what is seen and done, with an optimizer if it is to be trained."""
    body = make_body(spaces.observation_shape, config.hidden, config.blocks)
    policy = C51Policy(
        QNetwork(body, spaces.num_actions, config.num_atoms, softmax=True),
        None,
        config.discount,
        config.num_atoms,
        config.v_min,
        config.v_max,
        config.n_step,
        config.target_update_freq,
        action_space=spaces.action,
        observation_space=spaces.observation,
    )
    make_trainable(policy, config, training)
    return policy


ALGORITHM = Algorithm(
    C51Config, build, "off-policy", "arXiv 1707.06887", single=C51Config(**SINGLE, v_min=0.0, v_max=100.0)
)
AGENT = AgentKind("categorical deep Q-network", partial(load_policy, "c51", ALGORITHM), "DIR", ALGORITHM)
