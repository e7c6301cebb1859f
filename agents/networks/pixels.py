"""A convolutional network for pictures made of pixels."""

from collections.abc import Sequence
from math import prod
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from torch import nn

SIDE = 84
"""Larger sides of a picture are reduced to at most so many pixels, as is usual for Atari."""
LEAST_SIDE = 36
"""Least side of what is taken for a picture of pixels, and not for a board: the convolutions need so many."""
MOST_PLANES = 16


def is_picture(shape: Sequence[int]) -> bool:
    """Return whether observations of a shape, [H, W, planes] or [planes, H, W], are pictures of pixels."""
    return len(shape) == 3 and (_is_last(shape) or _is_last((*shape[1:], shape[0])))


def _is_last(shape: Sequence[int]) -> bool:
    return min(shape[:2]) >= LEAST_SIDE and shape[2] <= MOST_PLANES


class PixelNet(nn.Module):
    """The three strided convolutions for Atari (Mnih et al. 2015, "Human-level control"), then a dense layer.

    Maps pictures [n, H, W, planes] or [n, planes, H, W], of whole numbers or others, to features [n, hidden]. Blocks of
    pixels are averaged first, so that no side is longer than `SIDE`; only what is left is held in single precision.
    Entries are scaled to at most 1 where the space of observations has finite bounds.

    Args:
        observation: space of observations; its shape has to be that of a picture, see `is_picture`.
        hidden: number of features.

    """

    def __init__(self, observation: gym.Space[Any], hidden: int):
        super().__init__()
        shape = tuple(observation.shape or ())
        self._planes_first = not _is_last(shape)
        rows, columns, planes = (*shape[1:], shape[0]) if self._planes_first else shape
        high = float(np.abs(observation.high).max()) if isinstance(observation, gym.spaces.Box) else 1.0
        self.blocks = (-(-rows // SIDE), -(-columns // SIDE))
        self._scale = prod(self.blocks) * (high if np.isfinite(high) and high else 1.0)
        self.convolutions = nn.Sequential(
            nn.Conv2d(planes, 32, 8, 4),
            nn.ReLU(),
            nn.Conv2d(32, 64, 4, 2),
            nn.ReLU(),
            nn.Conv2d(64, 64, 3, 1),
            nn.ReLU(),
            nn.Flatten(),
        )
        reduced = torch.zeros(1, planes, rows // self.blocks[0], columns // self.blocks[1])
        with torch.no_grad():
            features = self.convolutions(reduced).shape[1]
        self.dense = nn.Linear(features, hidden)
        self.output_dim = hidden

    def forward(self, s: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Return features [n, hidden], and the state unchanged."""
        return torch.relu(self.dense(self.convolutions(self._reduced(torch.as_tensor(s))))), state

    def _reduced(self, pictures: torch.Tensor) -> torch.Tensor:
        """Return averages of blocks of pixels, [n, planes, H', W'], at most 1."""
        pictures = pictures if self._planes_first else pictures.permute(0, 3, 1, 2)
        (down, across), weight = self.blocks, self.dense.weight
        height, width = pictures.shape[2] // down * down, pictures.shape[3] // across * across
        parts = [pictures[:, :, i:height:down, j:width:across] for i in range(down) for j in range(across)]
        total = parts[0].to(weight)
        for part in parts[1:]:  # so that the whole picture is never held in single precision
            total = total + part.to(weight)
        return total / self._scale
