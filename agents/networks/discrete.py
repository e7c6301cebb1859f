"""Heads for discrete actions: an actor and a critic on top of a network that may be shared."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from agents.networks.common import MLP, Shape, flat_size


class Actor(nn.Module):
    """Scores of actions from the features of `preprocess_net`, as probabilities or (`softmax_output` False) logits."""

    def __init__(
        self,
        preprocess_net: nn.Module,
        action_shape: Shape,
        hidden_sizes: Sequence[int] = (),
        softmax_output: bool = True,
        preprocess_net_output_dim: int | None = None,
        device: str | int | torch.device = "cpu",
    ):
        super().__init__()
        self.preprocess = preprocess_net
        self.softmax_output = softmax_output
        input_dim = int(getattr(preprocess_net, "output_dim", preprocess_net_output_dim or 0))
        self.last = MLP(input_dim, flat_size(action_shape), hidden_sizes)
        self.to(device)

    def forward(self, s: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """From observations [n, ...] to [n, A], and the hidden state."""
        features, hidden = self.preprocess(s, state)
        logits = self.last(features)
        return (torch.softmax(logits, dim=-1) if self.softmax_output else logits), hidden


class Critic(nn.Module):
    """Values from the features of `preprocess_net`: `last_size` numbers an observation."""

    def __init__(
        self,
        preprocess_net: nn.Module,
        hidden_sizes: Sequence[int] = (),
        last_size: int = 1,
        preprocess_net_output_dim: int | None = None,
        device: str | int | torch.device = "cpu",
    ):
        super().__init__()
        self.preprocess = preprocess_net
        input_dim = int(getattr(preprocess_net, "output_dim", preprocess_net_output_dim or 0))
        self.last = MLP(input_dim, last_size, hidden_sizes)
        self.to(device)

    def forward(self, s: Any, state: Any = None, info: Any = None) -> torch.Tensor:
        """From observations [n, ...] to [n, last_size]."""
        features, _ = self.preprocess(s, state)
        values: torch.Tensor = self.last(features)
        return values


class ActorCritic(nn.Module):
    """Actor and critic in one module, so that an optimizer meets shared parameters once."""

    def __init__(self, actor: nn.Module, critic: nn.Module):
        super().__init__()
        self.actor = actor
        self.critic = critic


def actor_and_critic(
    actor: nn.Module, critic: nn.Module, s: Any, state: Any = None
) -> tuple[torch.Tensor, torch.Tensor, Any]:
    """Scores [n, A], values [n] and hidden state; a network that both are built upon runs once."""
    if isinstance(actor, Actor) and isinstance(critic, Critic) and actor.preprocess is critic.preprocess:
        features, hidden = actor.preprocess(s, state)
        scores = actor.last(features)
        return (torch.softmax(scores, dim=-1) if actor.softmax_output else scores), critic.last(features)[:, 0], hidden
    scores, hidden = actor(s, state)
    return scores, critic(s)[:, 0], hidden
