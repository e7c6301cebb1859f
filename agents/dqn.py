"""Deep Q-networks (Mnih et al. 2015, Nature 518), with double Q-learning (van Hasselt et al. 2016, arXiv 1509.06461).

A network estimates what each action will return; it learns from n-step targets whose end is valued by a slowly
following copy of itself. In a game, "next" is the agent's own next decision, and targets look only at actions that
are legal there. Dueling networks (Wang et al. 2016, arXiv 1511.06581) are networks: `Net(dueling_param=...)`.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import gymnasium as gym
import torch
from torch import nn

from agents.networks.q_network import QNetwork, make_body
from agents.value_learning import STEADY, ValueConfig, ValuePolicy, chosen, make_trainable, masked_q, weighted_mean
from arena.data.batch import Batch
from arena.data.rows import as_array
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces


class DQNPolicy(ValuePolicy):
    """Deep Q-learning for discrete actions, with masks.

    `model` gives Q-values [n, A] and a hidden state; `clip_loss_grad` takes Huber loss in place of squares. The other
    arguments are those of `ValuePolicy`.
    """

    def __init__(
        self,
        model: nn.Module,
        optim: torch.optim.Optimizer | None,
        discount_factor: float = 0.99,
        estimation_step: int = 1,
        target_update_freq: int = 0,
        reward_normalization: bool = False,
        is_double: bool = True,
        clip_loss_grad: bool = False,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
    ):
        targets = discount_factor, estimation_step, target_update_freq, reward_normalization, is_double
        super().__init__(model, optim, *targets, action_space, observation_space)
        self.clip_loss_grad = clip_loss_grad

    def compute_q_value(self, logits: torch.Tensor, mask: Any) -> torch.Tensor:
        """Q-values [n, A] from the model's output, those of illegal actions below all others."""
        return masked_q(logits, mask, self.action_space)

    def learn(self, batch: Batch) -> dict[str, float]:
        """One gradient step on the temporal-difference error; returns its `loss`.

        The target is y = r + gamma max_a Q'(s', a) (arXiv 1509.06461, equation 3) or, by double learning, r + gamma
        Q'(s', argmax_a Q(s', a)) (equation 4), with Q' the target network.
        """
        q = chosen(self.look(batch.obs).logits, batch.act)
        td = batch.returns.flatten().to(q) - q
        error = nn.functional.huber_loss(td, torch.zeros_like(td), reduction="none") if self.clip_loss_grad else td**2
        loss = weighted_mean(error, batch)
        batch.weight = as_array(td)  # the new priorities of a prioritized buffer
        self._step(loss)
        return {"loss": loss.item()}


@dataclass(frozen=True)
class DQNConfig(ValueConfig):
    """How DQN learns."""

    double: bool = True
    """Choose the target's action by the model, value it by the target network."""
    dueling: bool = False
    """Separate values and advantages in the network."""


def build(spaces: Spaces, config: DQNConfig, training: bool) -> DQNPolicy:
    """A DQN policy for what is seen and done, with an optimizer if it is to be trained."""
    body = make_body(spaces.observation_shape, config.hidden, config.blocks)
    model = QNetwork(body, spaces.num_actions, dueling=config.dueling)
    return build_around(model, spaces, config, training, config.double)


def build_around(
    model: nn.Module, spaces: Spaces, config: ValueConfig, training: bool, is_double: bool = True
) -> DQNPolicy:
    """A DQN policy around a network that is there already."""
    policy = DQNPolicy(
        model,
        None,
        config.discount,
        config.n_step,
        config.target_update_freq,
        is_double=is_double,
        action_space=spaces.action,
        observation_space=spaces.observation,
    )
    make_trainable(policy, config, training)
    return policy


ALGORITHM = Algorithm(DQNConfig, build, "off-policy", "Nature 518 (2015)", single=DQNConfig(**STEADY))
AGENT = AgentKind("deep Q-network", partial(load_policy, "dqn", ALGORITHM), "DIR", ALGORITHM)
