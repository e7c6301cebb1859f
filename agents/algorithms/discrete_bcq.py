"""Batch-constrained Q-learning for discrete actions (Fujimoto et al. 2019, arXiv 1910.01708).

Offline: a second network, the imitator, learns the probabilities of the data's actions. Behaviour and targets consider
only actions whose probability is not far below that of the most likely one.
"""

import math
from typing import Any

import gymnasium as gym
import torch
from torch import nn

from agents.configs.value_based import DiscreteBCQConfig
from agents.learning import checks
from agents.learning.distributions import logits_of
from agents.learning.optimizer import Adam
from agents.learning.options import one_config
from agents.learning.value_learning import NetworkOutput, QLearner, chosen, masked_q, weighted_mean
from agents.networks.builders import make_body
from agents.networks.common import ActorCritic
from agents.networks.q_network import QNetwork
from arena.data.batch import Batch
from arena.data.rows import as_array
from arena.policy.base import BasePolicy
from arena.policy.masking import bare_obs, legal_mask, mask_scores
from arena.policy.registration import Spaces


class DiscreteBCQPolicy(QLearner, BasePolicy):
    """Double DQN restricted to likely actions, with masks.

    Args:
        model: maps observations to Q-values [n, A] and a hidden state.
        imitator: maps observations to logits [n, A] of the data's actions and a hidden state.
        optim: optimizer of both; None for a policy that only plays.
        discount_factor: as in `DiscreteBCQConfig`.
        estimation_step: as in `DiscreteBCQConfig`.
        target_update_freq: as in `DiscreteBCQConfig`, at least 1.
        eval_eps: probability of a random action when the policy explores, 0 to 1.
        unlikely_action_threshold: tau, 0 to below 1. An action is considered if its probability is more than tau times
            that of the most likely one; 0 for all actions.
        imitation_logits_penalty: as in `DiscreteBCQConfig`.
        reward_normalization: not defined for n-step targets; leave it at False.
        action_space: as in `BasePolicy`.
        observation_space: as in `BasePolicy`.
        config: all options at once, in place of those one by one.

    """

    config: DiscreteBCQConfig

    def __init__(
        self,
        model: nn.Module,
        imitator: nn.Module,
        optim: torch.optim.Optimizer | None,
        discount_factor: float = 0.99,
        estimation_step: int = 1,
        target_update_freq: int = 8000,
        eval_eps: float = 0.001,
        unlikely_action_threshold: float = 0.3,
        imitation_logits_penalty: float = 0.01,
        reward_normalization: bool = False,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
        config: DiscreteBCQConfig | None = None,
    ):
        checks.require_raw_rewards(reward_normalization)
        options = DiscreteBCQConfig(
            discount_factor=discount_factor,
            estimation_step=estimation_step,
            target_update_freq=target_update_freq,
            unlikely_action_threshold=unlikely_action_threshold,
            imitation_logits_penalty=imitation_logits_penalty,
        )
        config = one_config(self, config, options)
        super().__init__(model, optim, config, action_space, observation_space)
        self.imitator = imitator
        threshold = config.unlikely_action_threshold
        self.log_tau = math.log(threshold) if threshold else -math.inf
        self.set_eps(eval_eps)

    def compute_q_value(self, logits: torch.Tensor, mask: Any) -> torch.Tensor:
        """Return the model's Q-values [n, A], with those of illegal actions below all others."""
        return masked_q(logits, mask, self.action_space)

    def evaluate(self, obs: Any, state: Any = None, model: str = "model") -> NetworkOutput:
        """Return the output as in `QLearner`, with unlikely actions below all others, and `imitation_logits` [n, A].

        The hidden state holds those of `model` and `imitator`, where they have one.
        """
        bare, mask, before = bare_obs(obs), legal_mask(obs), {} if state is None else state
        logits, after = self.network(model)(bare, before.get("model"))
        imitation, imitators = self.imitator(bare, before.get("imitator"))
        hidden = {key: value for key, value in (("model", after), ("imitator", imitators)) if value is not None} or None
        imitation = masked_q(logits_of(self.imitator, imitation), mask, self.action_space)
        q = self.compute_q_value(logits, mask)
        likely = imitation - imitation.amax(dim=1, keepdim=True) > self.log_tau  # equation 17
        return NetworkOutput(logits, mask_scores(q, likely), hidden, {"imitation_logits": imitation})

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take one gradient step on the Q-loss (equation 18), the imitation loss and the penalty of its logits.

        Returns their sum as `loss`, and its parts `loss/q`, `loss/i`, `loss/reg`.
        """
        output = self.evaluate(batch.obs)
        q, imitation = chosen(output.logits, batch.act), output.extra["imitation_logits"]
        td = batch.returns.flatten().to(q) - q
        q_loss = weighted_mean(nn.functional.huber_loss(td, torch.zeros_like(td), reduction="none"), batch)
        i_loss = -chosen(torch.log_softmax(imitation, dim=1), batch.act).mean()
        mask = legal_mask(batch.obs)
        legal = imitation if mask is None else imitation[torch.as_tensor(mask, device=imitation.device)]
        reg_loss = legal.square().mean()
        loss = q_loss + i_loss + self.config.imitation_logits_penalty * reg_loss
        batch.weight = as_array(td)  # the new priorities of a prioritized buffer
        parts = {"loss/q": q_loss.item(), "loss/i": i_loss.item(), "loss/reg": reg_loss.item()}
        return {"loss": loss.item(), **parts, **self._step(loss)}


def build(spaces: Spaces, config: DiscreteBCQConfig, training: bool) -> DiscreteBCQPolicy:
    """Build a discrete BCQ policy, with an optimizer if it is to be trained."""
    body = make_body(spaces, config.hidden, config.blocks)
    model, imitator = QNetwork(body, spaces.num_actions), QNetwork(body, spaces.num_actions)
    parameters = ActorCritic(imitator, model).parameters()  # those of the body once
    return DiscreteBCQPolicy(
        model,
        imitator,
        Adam(parameters, config.learning_rate) if training else None,
        eval_eps=config.eps if training else 0.0,
        action_space=spaces.action,
        observation_space=spaces.observation,
        config=config,
    )
