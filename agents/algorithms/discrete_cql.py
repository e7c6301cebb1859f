"""Conservative Q-learning for discrete actions (Kumar et al. 2020, arXiv 2006.04779), on top of QR-DQN.

Offline: actions outside the data must not be overestimated. A second loss lowers a soft maximum of the Q-values of all
legal actions and raises the Q-value of the action in the data.
"""

from typing import Any

import gymnasium as gym
import torch
from torch import nn

from agents.algorithms.qrdqn import means, middles
from agents.configs.value_based import DiscreteCQLConfig
from agents.learning import checks
from agents.learning.options import one_config
from agents.learning.value_learning import (
    QLearner,
    chosen,
    make_trainable,
    masked_q,
    quantile_regression,
)
from agents.networks.builders import make_body
from agents.networks.q_network import QNetwork
from arena.data.batch import Batch
from arena.policy.base import BasePolicy
from arena.policy.registration import Spaces


class DiscreteCQLPolicy(QLearner, BasePolicy):
    """QR-DQN with the conservative loss times `min_q_weight`; the other arguments are those of `QRDQNPolicy`."""

    config: DiscreteCQLConfig

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
        min_q_weight: float = 10.0,
        is_double: bool = True,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
        config: DiscreteCQLConfig | None = None,
    ):
        checks.require_raw_rewards(reward_normalization)
        options = DiscreteCQLConfig(
            discount_factor=discount_factor,
            estimation_step=estimation_step,
            target_update_freq=target_update_freq,
            is_double=is_double,
            num_quantiles=num_quantiles,
            min_q_weight=min_q_weight,
        )
        config = one_config(self, config, options)
        super().__init__(model, optim, config, action_space, observation_space)
        self.register_buffer("tau_hat", middles(config.num_quantiles))

    def compute_q_value(self, logits: torch.Tensor, mask: Any) -> torch.Tensor:
        """Return Q-values [n, A], the means of the quantiles [n, A, N]; those of illegal actions are lowest."""
        return masked_q(means(logits, len(self.tau_hat)), mask, self.action_space)

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take one gradient step on the quantile loss plus the conservative one, CQL(H) (equation 4).

        Returns `loss`, and its parts `loss/qr` and `loss/cql` (before its weight).
        """
        output = self.evaluate(batch.obs)
        quantile_loss = quantile_regression(batch, chosen(output.logits, batch.act), self.tau_hat)
        conservative = (output.q.logsumexp(dim=1) - chosen(output.q, batch.act)).mean()  # illegal actions add exp(-inf)
        loss = quantile_loss + self.config.min_q_weight * conservative
        parts = {"loss/qr": quantile_loss.item(), "loss/cql": conservative.item()}
        return {"loss": loss.item(), **parts, **self._step(loss)}


def build(spaces: Spaces, config: DiscreteCQLConfig, training: bool) -> DiscreteCQLPolicy:
    """Build a CQL policy, with an optimizer if it is to be trained."""
    body = make_body(spaces, config.hidden, config.blocks)
    policy = DiscreteCQLPolicy(
        QNetwork(body, spaces.num_actions, config.num_quantiles),
        None,
        action_space=spaces.action,
        observation_space=spaces.observation,
        config=config,
    )
    make_trainable(policy, config, training)
    return policy
