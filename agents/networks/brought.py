"""The body of a network that a user brings."""

from typing import Any

import gymnasium as gym
import numpy as np
import torch
from torch import nn

from agents.networks.common import to_input
from arena.base.errors import UsageError
from arena.policy.network import MakeNetwork, guarded


class BroughtBody(nn.Module):
    """A user's network as a body: it maps observations [n, *O], in single precision, to features [n, F].

    Numbered observations reach it as one-hot vectors [n, N]. It is tried once. Raises `UsageError` unless what the
    function returns is a network that gives finite features, at least one for each observation.

    Args:
        make: makes the network from the two spaces.
        observation: space of observations.
        action: space of actions.

    """

    _like: torch.Tensor

    def __init__(self, make: MakeNetwork, observation: gym.Space[Any], action: gym.Space[Any]):
        super().__init__()
        network = make(observation, action)
        if not isinstance(network, nn.Module):
            raise UsageError(f"a network is a torch.nn.Module, not {type(network).__name__}")
        self.network = network
        self.register_buffer("_like", torch.empty(0), persistent=False)
        self._values = int(observation.n) if isinstance(observation, gym.spaces.Discrete) else 0
        self.output_dim = self._tried(observation)

    def _tried(self, observation: gym.Space[Any]) -> int:
        """Return the number of features that the network gives, from a look at two observations of zeros."""
        samples = np.zeros((2, *(observation.shape or ())), np.int64 if self._values else np.float32)
        training = self.network.training
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            features = guarded(type(self.network).__name__, self.eval(), samples)[0]
        self.train(training)
        name = f"the network {type(self.network).__name__}"
        if not isinstance(features, torch.Tensor) or features.ndim < 2 or len(features) != 2 or not features.numel():
            shape = tuple(features.shape) if isinstance(features, torch.Tensor) else type(features).__name__
            raise UsageError(f"{name} gives {shape} for 2 observations {samples.shape}, not features of shape (2, F)")
        if not features.is_floating_point() or not bool(torch.isfinite(features).all()):
            raise UsageError(f"{name} gives features that are not finite real numbers for observations of zeros")
        return int(features[0].numel())

    def forward(self, s: Any, state: Any = None, info: Any = None) -> tuple[Any, Any]:
        """Return features [n, F], and the state unchanged."""
        x = to_input(s, self._like)
        if self._values:
            x = nn.functional.one_hot(x.long(), self._values).to(x)
        features = self.network(x)
        is_batch = isinstance(features, torch.Tensor) and features.ndim > 2
        return (features.flatten(1) if is_batch else features), state
