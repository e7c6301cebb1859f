"""Imitation by behaviour cloning: to do what the data does, by supervised learning (Pomerleau 1991, Neural Comp. 3).

Numbered actions are learned by cross-entropy over the legal ones, continuous ones by their mean squared error.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import gymnasium as gym
import torch
from torch import nn

from agents import checks
from agents.gradients import adam, descend
from agents.networks.q_network import QNetwork, make_body
from agents.value_learning import masked_q
from arena.config import require_above, require_at_least
from arena.data.batch import Batch
from arena.errors import UsageError
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces
from arena.policy.masking import bare_obs, legal_mask


class ImitationPolicy(BasePolicy):
    """Behaviour cloning, with masks where actions are numbered.

    Args:
        model: from observations to logits [n, A] of numbered actions or to continuous actions [n, k]; and a hidden
            state.
        optim: its optimizer; None for a policy that only plays.
        action_space: Discrete or Box; it says which of the two is learned.
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
        """The continuous action, or the likeliest legal one; adds `logits` and, where they are numbered, `probs`."""
        logits, hidden = self._logits(batch.obs, state)
        if self.is_continuous:
            return Batch(act=logits.numpy(force=True), state=hidden, logits=logits)
        probs = torch.softmax(logits, dim=1).numpy(force=True)
        return Batch(act=probs.argmax(axis=1), state=hidden, logits=logits, probs=probs)

    def _logits(self, obs: Any, state: Any = None) -> tuple[torch.Tensor, Any]:
        """What the model gives, with illegal actions below all others, and the hidden state."""
        logits, hidden = self.model(bare_obs(obs), state)
        if not self.is_continuous:
            return masked_q(logits, legal_mask(obs), self.action_space), hidden
        if logits.shape[1:] != self.action_space.shape:  # type: ignore[union-attr]  # the constructor has asked for it
            raise UsageError(f"the network gives {tuple(logits.shape)} for actions of {self.action_space}")
        return logits, hidden

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Logits [n, A], or actions [n, k]."""
        return self._logits(obs)[0]

    def learn(self, batch: Batch) -> dict[str, float]:
        """One gradient step towards the actions of the batch; returns its `loss`."""
        logits, _ = self._logits(batch.obs)
        if self.is_continuous:
            loss = nn.functional.mse_loss(logits, torch.as_tensor(batch.act).to(logits))
        else:
            act = torch.as_tensor(batch.act, dtype=torch.int64, device=logits.device)
            loss = nn.functional.cross_entropy(logits, act)
        descend(loss, self.optim)
        return {"loss": loss.item()}


@dataclass(frozen=True)
class ImitationConfig:
    """How a behaviour is cloned."""

    learning_rate: float = 1e-3
    """Step size of Adam."""
    batch_size: int = 256
    """Transitions a gradient step."""
    hidden: int = 256
    """Units of each of two hidden layers."""
    blocks: int = 0
    """Residual blocks of a convolutional tower, for boards; 0 for a perceptron."""

    def __post_init__(self) -> None:
        require_above(self, 0, "learning_rate")
        require_at_least(self, 0, "blocks")
        require_at_least(self, 1, "batch_size", "hidden")


def build(spaces: Spaces, config: ImitationConfig, training: bool) -> ImitationPolicy:
    """An imitating policy for what is seen and done, with an optimizer if it is to be trained.

    Continuous actions are learned in [-1, 1] and mapped to their bounds.
    """
    is_continuous = isinstance(spaces.action, gym.spaces.Box)
    (outputs,) = spaces.action_shape if is_continuous else (spaces.num_actions,)
    net = QNetwork(make_body(spaces.observation_shape, config.hidden, config.blocks), outputs)
    optim = adam(net.parameters(), config.learning_rate) if training else None
    return ImitationPolicy(
        net, optim, spaces.action, spaces.observation, is_continuous, "clip" if is_continuous else ""
    )


ALGORITHM = Algorithm(ImitationConfig, build, "offline", "Neural Computation 3 (1991)", ("discrete", "continuous"))
AGENT = AgentKind("behaviour cloning", partial(load_policy, "imitation", ALGORITHM), "DIR", ALGORITHM)
