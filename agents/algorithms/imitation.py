"""Behaviour cloning: supervised imitation of the actions in the data (Pomerleau 1991, Neural Computation 3).

Discrete actions are learned by cross-entropy over the legal ones, continuous actions by mean squared error.
"""

from typing import Any, Literal

import gymnasium as gym
import torch
from torch import nn

from agents.configs.actors import ImitationConfig
from agents.learning import checks
from agents.learning.distributions import logits_of
from agents.learning.gradients import descend
from agents.learning.optimizer import Adam
from agents.learning.value_learning import masked_q
from agents.networks.builders import make_body
from agents.networks.q_network import QNetwork
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.policy.base import BasePolicy
from arena.policy.masking import bare_obs, legal_mask
from arena.policy.registration import Spaces


class ImitationPolicy(BasePolicy):
    """Behaviour cloning, with masks for discrete actions.

    Args:
        model: maps observations to logits [n, A] (probabilities if `softmax_output`) or to continuous actions [n, k];
            and a hidden state.
        optim: its optimizer; None for a policy that only plays.
        action_space: Discrete or Box; selects the loss.
        observation_space: as in `BasePolicy`.
        action_scaling: as in `BasePolicy`.
        action_bound_method: as in `BasePolicy`.

    """

    def __init__(
        self,
        model: nn.Module,
        optim: torch.optim.Optimizer | None,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
        action_scaling: bool = False,
        action_bound_method: Literal["clip", "tanh", ""] = "",
    ):
        super().__init__(observation_space, action_space, action_scaling, action_bound_method)
        if action_space is None:
            raise UsageError("ImitationPolicy needs the action_space, Discrete or Box, to know what it learns")
        self.is_continuous = isinstance(action_space, gym.spaces.Box)
        if not self.is_continuous:
            checks.require_discrete(self, action_space)
        self.model, self.optim = model, optim

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Return the continuous action, or the most likely legal one with `logits` and `probs`."""
        logits, hidden = self._logits(batch.obs, state)
        if self.is_continuous:
            return Batch(act=logits.numpy(force=True), state=hidden, logits=logits)
        probs = torch.softmax(logits, dim=1).numpy(force=True)
        return Batch(act=probs.argmax(axis=1), state=hidden, logits=logits, probs=probs)

    def _logits(self, obs: Any, state: Any = None) -> tuple[torch.Tensor, Any]:
        """Return the model's output, with illegal actions below all others, and the hidden state."""
        logits, hidden = self.model(bare_obs(obs), state)
        if not self.is_continuous:
            return masked_q(logits_of(self.model, logits), legal_mask(obs), self.action_space), hidden
        if logits.shape[1:] != self.action_space.shape:  # type: ignore[union-attr]  # the constructor has asked for it
            raise UsageError(f"the network gives {tuple(logits.shape)} for actions of {self.action_space}")
        return logits, hidden

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Return logits [n, A], or actions [n, k]."""
        return self._logits(obs)[0]

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take one gradient step towards the actions of the batch; return its `loss`."""
        logits, _ = self._logits(batch.obs)
        if self.is_continuous:
            loss = nn.functional.mse_loss(logits, torch.as_tensor(batch.act).to(logits))
        else:
            act = torch.as_tensor(batch.act, dtype=torch.int64, device=logits.device)
            loss = nn.functional.cross_entropy(logits, act)
        return {"loss": loss.item(), **descend(loss, self.optim)}


def build(spaces: Spaces, config: ImitationConfig, training: bool) -> ImitationPolicy:
    """Build an imitating policy, with an optimizer if it is to be trained.

    Continuous actions are learned in [-1, 1] and mapped to their bounds.
    """
    is_continuous = isinstance(spaces.action, gym.spaces.Box)
    (outputs,) = spaces.action_shape if is_continuous else (spaces.num_actions,)
    net = QNetwork(make_body(spaces, config.hidden, config.blocks), outputs)
    optim = Adam(net.parameters(), config.learning_rate) if training else None
    return ImitationPolicy(
        net, optim, spaces.action, spaces.observation, is_continuous, "clip" if is_continuous else ""
    )
