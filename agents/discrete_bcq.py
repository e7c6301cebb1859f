"""Batch-constrained Q-learning for discrete actions (Fujimoto et al. 2019, arXiv 1910.01708).

Offline: a second network, the imitator, learns how likely the data takes each action; behaviour and targets consider
only actions that are not much less likely than the likeliest one.
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import gymnasium as gym
import torch
from torch import nn

from agents import checks
from agents.gradients import adam
from agents.networks.common import ActorCritic
from agents.networks.q_network import QNetwork, make_body
from agents.value_learning import ValueConfig, ValuePolicy, View, chosen, masked_q, weighted_mean
from arena.config import require_at_least, require_between
from arena.data.batch import Batch
from arena.data.rows import as_array
from arena.errors import UsageError
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces
from arena.policy.masking import bare_obs, legal_mask, mask_scores


class DiscreteBCQPolicy(ValuePolicy):
    """Double DQN among the likely actions, with masks.

    Args:
        model: from observations to Q-values [n, A] and a hidden state.
        imitator: from observations to logits [n, A] of the data's actions and a hidden state.
        optim: optimizer of both; None for a policy that only plays.
        discount_factor: this and what is not named here are as in `ValuePolicy`.
        estimation_step: see there.
        target_update_freq: see there, but at least 1.
        eval_eps: chance of a random action where the policy explores.
        unlikely_action_threshold: tau, 0 to below 1: an action counts if it is more than tau times as likely as the
            likeliest one; 0 for all actions.
        imitation_logits_penalty: weight of the mean square of the imitator's logits.
        reward_normalization: see there.
        action_space: see there.
        observation_space: see there.

    """

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
    ):
        targets = discount_factor, estimation_step, target_update_freq, reward_normalization, True
        super().__init__(model, optim, *targets, action_space, observation_space)
        checks.require_above(0, target_update_freq=target_update_freq)
        checks.require_at_least(0, imitation_logits_penalty=imitation_logits_penalty)
        checks.require_between(0, 1, unlikely_action_threshold=unlikely_action_threshold)
        if unlikely_action_threshold == 1:
            raise UsageError("unlikely_action_threshold=1 leaves no action; it lies below 1")
        self.imitator = imitator
        self.penalty = imitation_logits_penalty
        self.log_tau = math.log(unlikely_action_threshold) if unlikely_action_threshold else -math.inf
        self.set_eps(eval_eps)

    def compute_q_value(self, logits: torch.Tensor, mask: Any) -> torch.Tensor:
        """Q-values [n, A] from the model's output, those of illegal actions below all others."""
        return masked_q(logits, mask, self.action_space)

    def look(self, obs: Any, state: Any = None, model: str = "model") -> View:
        """As in `ValuePolicy`, with Q-values of unlikely actions below all others; adds `imitation_logits` [n, A].

        Hidden states are those of both networks, `model` and `imitator`, as far as they have one.
        """
        seen, mask, before = bare_obs(obs), legal_mask(obs), {} if state is None else state
        logits, after = getattr(self, model)(seen, before.get("model"))
        imitation, imitators = self.imitator(seen, before.get("imitator"))
        hidden = {key: value for key, value in (("model", after), ("imitator", imitators)) if value is not None} or None
        imitation, q = masked_q(imitation, mask, self.action_space), self.compute_q_value(logits, mask)
        likely = imitation - imitation.amax(dim=1, keepdim=True) > self.log_tau  # equation 17
        return View(logits, mask_scores(q, likely), hidden, {"imitation_logits": imitation})

    def learn(self, batch: Batch) -> dict[str, float]:
        """One gradient step on Q-values (equation 18), on imitation by cross-entropy, and on the size of its logits.

        Returns their sum as `loss`, and its parts `loss/q`, `loss/i`, `loss/reg`.
        """
        view = self.look(batch.obs)
        q, imitation = chosen(view.logits, batch.act), view.extra["imitation_logits"]
        td = batch.returns.flatten().to(q) - q
        q_loss = weighted_mean(nn.functional.huber_loss(td, torch.zeros_like(td), reduction="none"), batch)
        i_loss = -chosen(torch.log_softmax(imitation, dim=1), batch.act).mean()
        mask = legal_mask(batch.obs)
        legal = imitation if mask is None else imitation[torch.as_tensor(mask, device=imitation.device)]
        reg_loss = legal.square().mean()
        loss = q_loss + i_loss + self.penalty * reg_loss
        batch.weight = as_array(td)  # the new priorities of a prioritized buffer
        self._step(loss)
        parts = {"loss/q": q_loss.item(), "loss/i": i_loss.item(), "loss/reg": reg_loss.item()}
        return {"loss": loss.item(), **parts}


@dataclass(frozen=True)
class DiscreteBCQConfig(ValueConfig):
    """How discrete BCQ learns."""

    eps: float = 0.001
    """Chance of a random action while collecting."""
    unlikely_action_threshold: float = 0.3
    """An action counts if it is so many times as likely as the likeliest one, 0 to below 1."""
    imitation_logits_penalty: float = 0.01
    """Weight of the mean square of the imitator's logits."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(self, 1, "target_update_freq")
        require_at_least(self, 0, "imitation_logits_penalty")
        require_between(self, 0, 0.999, "unlikely_action_threshold")


def build(spaces: Spaces, config: DiscreteBCQConfig, training: bool) -> DiscreteBCQPolicy:
    """A discrete BCQ policy for what is seen and done, with an optimizer if it is to be trained."""
    body = make_body(spaces.observation_shape, config.hidden, config.blocks)
    model, imitator = QNetwork(body, spaces.num_actions), QNetwork(body, spaces.num_actions)
    parameters = ActorCritic(imitator, model).parameters()  # those of the body once
    return DiscreteBCQPolicy(
        model,
        imitator,
        adam(parameters, config.learning_rate) if training else None,
        config.discount,
        config.n_step,
        config.target_update_freq,
        config.eps if training else 0.0,
        config.unlikely_action_threshold,
        config.imitation_logits_penalty,
        action_space=spaces.action,
        observation_space=spaces.observation,
    )


ALGORITHM = Algorithm(DiscreteBCQConfig, build, "offline", "arXiv 1910.01708")
AGENT = AgentKind("batch-constrained Q-learning", partial(load_policy, "discrete-bcq", ALGORITHM), "DIR", ALGORITHM)
