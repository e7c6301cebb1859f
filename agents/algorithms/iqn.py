"""Implicit quantile networks (Dabney et al. 2018, arXiv 1806.06923).

As QR-DQN, but the fraction is an input of the network and fractions are drawn at random: N for the prediction, N' for
the target, K for acting. Unlike in the paper, the target's action is chosen by double learning unless `is_double` is
False.
"""

from typing import Any

import gymnasium as gym
import torch
from torch import nn

from agents.configs.value_based import IQNConfig
from agents.learning import checks
from agents.learning.options import one_config
from agents.learning.value_learning import (
    NetworkOutput,
    QLearner,
    chosen,
    make_trainable,
    masked_q,
    quantile_regression,
)
from agents.networks.builders import make_body
from agents.networks.discrete import ImplicitQuantileNetwork
from arena.data.batch import Batch
from arena.policy.base import BasePolicy
from arena.policy.masking import bare_obs, legal_mask
from arena.policy.registration import Spaces


class IQNPolicy(QLearner, BasePolicy):
    """Deep Q-learning with implicit quantiles for discrete actions, with masks.

    `model`, an `ImplicitQuantileNetwork`, is evaluated at `sample_size` (K) fractions in testing mode, at
    `online_sample_size` (N) in training mode, and at `target_sample_size` (N') as the target network. The other
    arguments are those of `DQNPolicy`.
    """

    config: IQNConfig

    def __init__(
        self,
        model: nn.Module,
        optim: torch.optim.Optimizer | None,
        discount_factor: float = 0.99,
        sample_size: int = 32,
        online_sample_size: int = 8,
        target_sample_size: int = 8,
        estimation_step: int = 1,
        target_update_freq: int = 0,
        reward_normalization: bool = False,
        is_double: bool = True,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
        config: IQNConfig | None = None,
    ):
        checks.require_raw_rewards(reward_normalization)
        options = IQNConfig(
            discount_factor=discount_factor,
            estimation_step=estimation_step,
            target_update_freq=target_update_freq,
            is_double=is_double,
            sample_size=sample_size,
            online_sample_size=online_sample_size,
            target_sample_size=target_sample_size,
        )
        config = one_config(self, config, options)
        super().__init__(model, optim, config, action_space, observation_space)

    def compute_q_value(self, logits: torch.Tensor, mask: Any) -> torch.Tensor:
        """Return Q-values [n, A], means of the quantiles [n, A, N] (section 3); those of illegal actions are lowest."""
        return masked_q(logits.mean(dim=2), mask, self.action_space)

    def evaluate(self, obs: Any, state: Any = None, model: str = "model") -> NetworkOutput:
        """Return the output as in `QLearner`, with the fractions `taus` [n, N] of the quantiles [n, A, N]."""
        config = self.config
        sizes = {"model_old": config.target_sample_size}
        size = sizes.get(model, config.online_sample_size if self.training else config.sample_size)
        (quantiles, taus), hidden = self.network(model)(bare_obs(obs), size, state, self.generator)
        return NetworkOutput(quantiles, self.compute_q_value(quantiles, legal_mask(obs)), hidden, {"taus": taus})

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Return Q-values [n, A] at `sample_size` equally spaced fractions instead of random ones."""
        assert isinstance(self.model, ImplicitQuantileNetwork)
        features, _ = self.model.preprocess(obs)
        size = self.config.sample_size
        taus = (torch.arange(size).to(features) + 0.5) / size
        return self.model.quantiles(features, taus.expand(features.shape[0], -1)).mean(dim=2)

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take one gradient step on the quantile Huber loss at random fractions (equation 3); return its `loss`."""
        output = self.evaluate(batch.obs)
        loss = quantile_regression(batch, chosen(output.logits, batch.act), output.extra["taus"])
        return {"loss": loss.item(), **self._step(loss)}


def build(spaces: Spaces, config: IQNConfig, training: bool) -> IQNPolicy:
    """Build an IQN policy, with an optimizer if it is to be trained."""
    body = make_body(spaces, config.hidden, config.blocks)
    policy = IQNPolicy(
        ImplicitQuantileNetwork(body, spaces.num_actions, num_cosines=config.num_cosines),
        None,
        action_space=spaces.action,
        observation_space=spaces.observation,
        config=config,
    )
    make_trainable(policy, config, training)
    return policy
