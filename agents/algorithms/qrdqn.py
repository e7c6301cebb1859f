"""Quantile regression DQN (Dabney et al. 2018, arXiv 1710.10044).

A network estimates N quantiles of the return of each action, at the fixed fractions (2 i + 1) / 2 N; their mean is the
Q-value. Targets are the quantiles of the next observation's best action, and the loss is the quantile Huber loss.
Unlike in the paper, that action is chosen by double learning unless `is_double` is False.
"""

from typing import Any

import gymnasium as gym
import torch
from torch import nn

from agents.configs.value_based import QRDQNConfig
from agents.learning import checks
from agents.learning.options import one_config
from agents.learning.value_learning import QLearner, chosen, make_trainable, masked_q, quantile_regression
from agents.networks.builders import make_body
from agents.networks.q_network import QNetwork
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.policy.base import BasePolicy
from arena.policy.registration import Spaces


class QRDQNPolicy(QLearner, BasePolicy):
    """Deep Q-learning by quantile regression for discrete actions, with masks.

    `model` gives N = `num_quantiles` quantiles per action, [n, A, N]: `Net(..., num_atoms=N)`. The other arguments are
    those of `DQNPolicy`.
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
        config: QRDQNConfig | None = None,
    ):
        checks.require_raw_rewards(reward_normalization)
        options = QRDQNConfig(
            discount_factor=discount_factor,
            estimation_step=estimation_step,
            target_update_freq=target_update_freq,
            is_double=is_double,
            num_quantiles=num_quantiles,
        )
        config = one_config(self, config, options)
        super().__init__(model, optim, config, action_space, observation_space)
        self.register_buffer("tau_hat", middles(config.num_quantiles))

    def compute_q_value(self, logits: torch.Tensor, mask: Any) -> torch.Tensor:
        """Return Q-values [n, A], the means of the quantiles [n, A, N]; those of illegal actions are lowest."""
        return masked_q(means(logits, len(self.tau_hat)), mask, self.action_space)

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take one gradient step on the quantile Huber loss (algorithm 1); return its `loss`."""
        quantiles = chosen(self.evaluate(batch.obs).logits, batch.act)
        loss = quantile_regression(batch, quantiles, self.tau_hat)
        return {"loss": loss.item(), **self._step(loss)}


def middles(num_quantiles: int) -> torch.Tensor:
    """Return the fractions of the quantiles, the middles of N equal steps from 0 to 1 (lemma 2), [N]."""
    return (2 * torch.arange(num_quantiles) + 1) / (2 * num_quantiles)


def means(quantiles: torch.Tensor, num_quantiles: int) -> torch.Tensor:
    """Return the means [n, A] of quantiles [n, A, N]; raise `UsageError` for another shape."""
    if quantiles.ndim != 3 or quantiles.shape[2] != num_quantiles:
        raise UsageError(f"the network gives {tuple(quantiles.shape)}, not [n, A, {num_quantiles}]: num_atoms")
    return quantiles.mean(dim=2)


def build(spaces: Spaces, config: QRDQNConfig, training: bool) -> QRDQNPolicy:
    """Build a QR-DQN policy, with an optimizer if it is to be trained."""
    body = make_body(spaces, config.hidden, config.blocks)
    policy = QRDQNPolicy(
        QNetwork(body, spaces.num_actions, config.num_quantiles),
        None,
        action_space=spaces.action,
        observation_space=spaces.observation,
        config=config,
    )
    make_trainable(policy, config, training)
    return policy
