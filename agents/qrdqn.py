"""Quantile regression DQN (Dabney et al. 2018, arXiv 1710.10044).

A network estimates N quantiles of the return of each action, at the fixed fractions (2 i + 1) / 2 N; their mean is the
Q-value. Targets are the quantiles of the next observation's best action; each pulls at every quantile with the
asymmetric quantile Huber loss. Unlike the paper, that action is chosen by double learning unless `is_double` says
otherwise.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import gymnasium as gym
import torch
from torch import nn

from agents import checks
from agents.networks.q_network import QNetwork, make_body
from agents.value_learning import (
    SINGLE,
    ValueConfig,
    ValuePolicy,
    chosen,
    make_trainable,
    masked_q,
    quantile_regression,
)
from arena.config import require_at_least
from arena.data.batch import Batch
from arena.errors import UsageError
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces


class QRDQNPolicy(ValuePolicy):
    """Deep Q-learning by quantile regression for discrete actions, with masks.

    `model` gives N = `num_quantiles` quantiles an action, [n, A, N]: `Net(..., num_atoms=N)`. The other arguments are
    those of `ValuePolicy`.
    """

    tau_hat: torch.Tensor

    def __init__(
        self,
        model: nn.Module,
        optim: torch.optim.Optimizer | None,
        discount_factor: float = 0.99,
        num_quantiles: int = 200,
        estimation_step: int = 1,
        target_update_freq: int = 0,
        reward_normalization: bool = False,
        is_double: bool = True,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
    ):
        targets = discount_factor, estimation_step, target_update_freq, reward_normalization, is_double
        super().__init__(model, optim, *targets, action_space, observation_space)
        checks.require_at_least(2, num_quantiles=num_quantiles)
        middles = (2 * torch.arange(num_quantiles) + 1) / (2 * num_quantiles)  # lemma 2
        self.register_buffer("tau_hat", middles)

    def compute_q_value(self, logits: torch.Tensor, mask: Any) -> torch.Tensor:
        """Q-values [n, A]: means of the quantiles [n, A, N] (algorithm 1); those of illegal actions lie lowest."""
        if logits.ndim != 3 or logits.shape[2] != len(self.tau_hat):
            raise UsageError(f"the network gives {tuple(logits.shape)}, not [n, A, {len(self.tau_hat)}]: num_atoms")
        return masked_q(logits.mean(dim=2), mask, self.action_space)

    def learn(self, batch: Batch) -> dict[str, float]:
        """One gradient step on the quantile Huber loss (algorithm 1); returns its `loss`."""
        quantiles = chosen(self.look(batch.obs).logits, batch.act)
        loss = quantile_regression(batch, quantiles, self.tau_hat)
        self._step(loss)
        return {"loss": loss.item()}


@dataclass(frozen=True)
class QRDQNConfig(ValueConfig):
    """How QR-DQN learns."""

    num_quantiles: int = 50
    """Quantiles an action."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(self, 2, "num_quantiles")


def build(spaces: Spaces, config: QRDQNConfig, training: bool) -> QRDQNPolicy:
    """A QR-DQN policy for what is seen and done, with an optimizer if it is to be trained."""
    body = make_body(spaces.observation_shape, config.hidden, config.blocks)
    policy = QRDQNPolicy(
        QNetwork(body, spaces.num_actions, config.num_quantiles),
        None,
        config.discount,
        config.num_quantiles,
        config.n_step,
        config.target_update_freq,
        action_space=spaces.action,
        observation_space=spaces.observation,
    )
    make_trainable(policy, config, training)
    return policy


ALGORITHM = Algorithm(QRDQNConfig, build, "off-policy", "arXiv 1710.10044", single=QRDQNConfig(**SINGLE))
AGENT = AgentKind("quantile regression DQN", partial(load_policy, "qrdqn", ALGORITHM), "DIR", ALGORITHM)
