"""Networks whose outputs are told to them, and batches of random positions."""

import numpy as np
import torch
from torch import nn

from arena.data import Batch


class Given(nn.Module):
    """Scores are the observations themselves, times a learned weight for each action."""

    softmax_output = False

    def __init__(self, num_actions: int, weight: float = 1.0):
        super().__init__()
        self.weight = nn.Parameter(torch.full((num_actions,), weight))

    def forward(self, s, state=None, info=None):
        return torch.as_tensor(s, dtype=torch.float32) * self.weight, state


class Sum(nn.Module):
    """The value of an observation is its sum, times a learned weight."""

    def __init__(self, weight: float = 1.0):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(weight))

    def forward(self, s, state=None, info=None):
        return (torch.as_tensor(s, dtype=torch.float32).sum(dim=1) * self.weight)[:, None]


def positions(scores, mask=None) -> Batch:
    """Observations that show these scores [n, A], all actions legal unless there is a mask."""
    scores = np.asarray(scores, np.float32)
    legal = np.ones(scores.shape, bool) if mask is None else np.asarray(mask, bool)
    return Batch(agent_id=np.zeros(len(scores), int), obs=scores, mask=legal)


def random_masks(rng: np.random.Generator, n: int, num_actions: int) -> np.ndarray:
    """Masks of every density, each with something legal."""
    mask = rng.random((n, num_actions)) < rng.random((n, 1))
    mask[np.arange(n), rng.integers(num_actions, size=n)] = True
    return mask
