"""Implicit quantile networks (Dabney et al. 2018, arXiv 1806.06923).

Like QR-DQN, but the network takes the fraction as an input, and quantiles are looked at where chance says: N fractions
for the prediction, N' for the target, K to act by. Unlike the paper, the target's action is chosen by double learning
unless `is_double` says otherwise.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import gymnasium as gym
import torch
from torch import nn

from agents import checks
from agents.networks.discrete import ImplicitQuantileNetwork
from agents.networks.q_network import make_body
from agents.value_learning import (
    SLOWER,
    ValueConfig,
    ValuePolicy,
    View,
    chosen,
    make_trainable,
    masked_q,
    quantile_regression,
)
from arena.config import require_at_least
from arena.data.batch import Batch
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces
from arena.policy.masking import bare_obs, legal_mask


class IQNPolicy(ValuePolicy):
    """Deep Q-learning with implicit quantiles for discrete actions, with masks.

    `model`, an `ImplicitQuantileNetwork`, is asked for `sample_size` (K) fractions in testing state,
    `online_sample_size` (N) in training state, and `target_sample_size` (N') where it is the target network. The other
    arguments are those of `ValuePolicy`.
    """

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
    ):
        targets = discount_factor, estimation_step, target_update_freq, reward_normalization, is_double
        super().__init__(model, optim, *targets, action_space, observation_space)
        checks.require_at_least(
            1, sample_size=sample_size, online_sample_size=online_sample_size, target_sample_size=target_sample_size
        )
        self.sample_size, self.online_sample_size = sample_size, online_sample_size
        self.target_sample_size = target_sample_size

    def compute_q_value(self, logits: torch.Tensor, mask: Any) -> torch.Tensor:
        """Q-values [n, A]: means of the quantiles [n, A, N] (section 3); those of illegal actions lie lowest."""
        return masked_q(logits.mean(dim=2), mask, self.action_space)

    def look(self, obs: Any, state: Any = None, model: str = "model") -> View:
        """As in `ValuePolicy`; adds the fractions `taus` [n, N] at which the quantiles [n, A, N] lie."""
        sizes = {"model_old": self.target_sample_size}
        size = sizes.get(model, self.online_sample_size if self.training else self.sample_size)
        (quantiles, taus), hidden = getattr(self, model)(bare_obs(obs), size, state, self.generator)
        return View(quantiles, self.compute_q_value(quantiles, legal_mask(obs)), hidden, {"taus": taus})

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Q-values [n, A], at `sample_size` fractions of equal distance in place of random ones."""
        assert isinstance(self.model, ImplicitQuantileNetwork)
        features, _ = self.model.preprocess(obs)
        taus = (torch.arange(self.sample_size).to(features) + 0.5) / self.sample_size
        return self.model.quantiles(features, taus.expand(features.shape[0], -1)).mean(dim=2)

    def learn(self, batch: Batch) -> dict[str, float]:
        """One gradient step on the quantile Huber loss at random fractions (equation 3); returns its `loss`."""
        view = self.look(batch.obs)
        loss = quantile_regression(batch, chosen(view.logits, batch.act), view.extra["taus"])
        self._step(loss)
        return {"loss": loss.item()}


@dataclass(frozen=True)
class IQNConfig(ValueConfig):
    """How IQN learns."""

    sample_size: int = 32
    """Fractions to act by in testing."""
    online_sample_size: int = 8
    """Fractions of the network that learns."""
    target_sample_size: int = 8
    """Fractions of the target network."""
    num_cosines: int = 64
    """Cosines that a fraction is told by."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(self, 1, "sample_size", "online_sample_size", "target_sample_size", "num_cosines")


def build(spaces: Spaces, config: IQNConfig, training: bool) -> IQNPolicy:
    """An IQN policy for what is seen and done, with an optimizer if it is to be trained."""
    body = make_body(spaces.observation_shape, config.hidden, config.blocks)
    policy = IQNPolicy(
        ImplicitQuantileNetwork(body, spaces.num_actions, num_cosines=config.num_cosines),
        None,
        config.discount,
        config.sample_size,
        config.online_sample_size,
        config.target_sample_size,
        config.n_step,
        config.target_update_freq,
        action_space=spaces.action,
        observation_space=spaces.observation,
    )
    make_trainable(policy, config, training)
    return policy


ALGORITHM = Algorithm(IQNConfig, build, "off-policy", "arXiv 1806.06923", single=IQNConfig(**SLOWER))
AGENT = AgentKind("implicit quantile network", partial(load_policy, "iqn", ALGORITHM), "DIR", ALGORITHM)
