"""Conservative Q-learning for discrete actions (Kumar et al. 2020, arXiv 2006.04779), upon QR-DQN.

Offline: what was never tried must not look good. A second loss pushes down the Q-values of all legal actions, softly
weighted towards the highest, and up that of the action in the data.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import gymnasium as gym
import torch
from torch import nn

from agents import checks
from agents.networks.q_network import QNetwork, make_body
from agents.qrdqn import QRDQNConfig, QRDQNPolicy
from agents.value_learning import chosen, make_trainable, quantile_regression
from arena.config import require_at_least
from arena.data.batch import Batch
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces


class DiscreteCQLPolicy(QRDQNPolicy):
    """QR-DQN with the conservative loss, times `min_q_weight`; the other arguments are those of `QRDQNPolicy`."""

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
    ):
        targets = estimation_step, target_update_freq, reward_normalization, is_double
        super().__init__(model, optim, discount_factor, num_quantiles, *targets, action_space, observation_space)
        checks.require_at_least(0, min_q_weight=min_q_weight)
        self.min_q_weight = min_q_weight

    def learn(self, batch: Batch) -> dict[str, float]:
        """One gradient step on the quantile loss and the conservative one, CQL(H) (equation 4); returns `loss`.

        And its parts: `loss/qr`, `loss/cql` (before its weight).
        """
        view = self.look(batch.obs)
        quantile_loss = quantile_regression(batch, chosen(view.logits, batch.act), self.tau_hat)
        conservative = (view.q.logsumexp(dim=1) - chosen(view.q, batch.act)).mean()  # illegal actions add exp(-inf)
        loss = quantile_loss + self.min_q_weight * conservative
        self._step(loss)
        return {"loss": loss.item(), "loss/qr": quantile_loss.item(), "loss/cql": conservative.item()}


@dataclass(frozen=True)
class DiscreteCQLConfig(QRDQNConfig):
    """How discrete CQL learns."""

    min_q_weight: float = 10.0
    """Weight of the conservative loss."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(self, 0, "min_q_weight")


def build(spaces: Spaces, config: DiscreteCQLConfig, training: bool) -> DiscreteCQLPolicy:
    """A CQL policy for what is seen and done, with an optimizer if it is to be trained."""
    body = make_body(spaces.observation_shape, config.hidden, config.blocks)
    policy = DiscreteCQLPolicy(
        QNetwork(body, spaces.num_actions, config.num_quantiles),
        None,
        config.discount,
        config.num_quantiles,
        config.n_step,
        config.target_update_freq,
        min_q_weight=config.min_q_weight,
        action_space=spaces.action,
        observation_space=spaces.observation,
    )
    make_trainable(policy, config, training)
    return policy


ALGORITHM = Algorithm(DiscreteCQLConfig, build, "offline", "arXiv 2006.04779")
AGENT = AgentKind("conservative Q-learning", partial(load_policy, "discrete-cql", ALGORITHM), "DIR", ALGORITHM)
