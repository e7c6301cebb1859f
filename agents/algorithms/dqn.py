"""Deep Q-networks (Mnih et al. 2015, Nature 518), with double Q-learning (van Hasselt et al. 2016, arXiv 1509.06461).

A network estimates the return of each action. It learns from n-step targets that end in the value of a target network.
In a game, "next" is the agent's own next decision, and targets consider legal actions only. Dueling networks (Wang et
al. 2016, arXiv 1511.06581) are a choice of the network: `Net(dueling_param=...)`.
"""

from typing import Any

import gymnasium as gym
import torch
from torch import nn
from torch.nn.functional import huber_loss, mse_loss

from agents.configs.value_based import DQNConfig
from agents.learning import checks
from agents.learning.options import one_config
from agents.learning.td_gradient import td_loss
from agents.learning.value_learning import QLearner, chosen, make_trainable, masked_q, weighted_loss
from agents.networks.builders import make_body
from agents.networks.q_network import QNetwork
from arena.data.batch import Batch
from arena.data.rows import as_array
from arena.policy.base import BasePolicy
from arena.policy.registration import Spaces


class DQNPolicy(QLearner, BasePolicy):
    """Deep Q-learning for discrete actions, with masks.

    `model` maps observations to Q-values [n, A] and a hidden state. `reward_normalization` is not defined for n-step
    targets. The other arguments are those of `DQNConfig`: one by one, or all at once as `config`.
    """

    config: DQNConfig

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
        config: DQNConfig | None = None,
    ):
        checks.require_raw_rewards(reward_normalization)
        options = DQNConfig(
            discount_factor=discount_factor,
            estimation_step=estimation_step,
            target_update_freq=target_update_freq,
            is_double=is_double,
            clip_loss_grad=clip_loss_grad,
        )
        config = one_config(self, config, options)
        super().__init__(model, optim, config, action_space, observation_space)

    def compute_q_value(self, logits: torch.Tensor, mask: Any) -> torch.Tensor:
        """Return the model's Q-values [n, A], with those of illegal actions below all others."""
        return masked_q(logits, mask, self.action_space)

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take one gradient step on the temporal-difference error; return its `loss`.

        The target is y = r + gamma max_a Q'(s', a) (arXiv 1509.06461, equation 3) or, with double learning, r + gamma
        Q'(s', argmax_a Q(s', a)) (equation 4), with Q' the target network.
        """
        outputs = self.evaluate(batch.obs).logits
        if checks.fits_kernel(outputs):
            result = td_loss(outputs, batch, self.config.clip_loss_grad)
            batch.weight = result.errors
            return {"loss": result.loss, **self._step([outputs], [result.gradient])}
        q = chosen(outputs, batch.act)  # Q(s, a)
        y = batch.returns.flatten().to(q)
        # Nature 518, methods: (y - Q(s, a))^2
        loss = weighted_loss(huber_loss if self.config.clip_loss_grad else mse_loss, q, y, batch)
        batch.weight = as_array(y - q.detach())  # the new priorities of a prioritized buffer
        return {"loss": loss.item(), **self._step(loss)}


def build(spaces: Spaces, config: DQNConfig, training: bool) -> DQNPolicy:
    """Build a DQN policy, with an optimizer if it is to be trained."""
    body = make_body(spaces, config.hidden, config.blocks)
    model = QNetwork(body, spaces.num_actions, dueling=config.dueling)
    policy = DQNPolicy(model, None, action_space=spaces.action, observation_space=spaces.observation, config=config)
    make_trainable(policy, config, training)
    return policy
