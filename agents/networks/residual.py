"""A convolutional residual tower for boards."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from agents.networks.common import to_input
from arena.base.errors import UsageError


class ResidualBlock(nn.Module):
    """Two 3 x 3 convolutions with a skip connection (He et al. 2016, arXiv 1512.03385, figure 2).

    The second is initialised to zero, so that the block is the identity at first and deep towers learn without norms
    (Zhang et al. 2019, "Fixup Initialization", arXiv 1901.09321).
    """

    def __init__(self, channels: int):
        super().__init__()
        last = _convolution(channels, channels)
        for parameter in last.parameters():
            nn.init.zeros_(parameter)
        self.change = nn.Sequential(_convolution(channels, channels), nn.ReLU(), last)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map [n, channels, R, C] to the same shape."""
        return torch.relu(x + self.change(x))


class ResidualTower(nn.Module):
    """A convolution, `blocks` residual blocks and a dense layer: boards [n, R, C, planes] to features [n, hidden].

    The layout is that of AlphaZero (Silver et al. 2017, arXiv 1712.01815) without its norms, so that the value of a
    position depends neither on the batch nor on the mode. On a CPU, norms per board take as long as the convolutions,
    and networks with them generalised worse to other games.
    """

    def __init__(self, board_shape: Sequence[int], channels: int = 32, blocks: int = 3, hidden: int = 128):
        super().__init__()
        if len(board_shape) != 3:
            raise UsageError(f"a tower needs boards of shape (rows, columns, planes), not {tuple(board_shape)}")
        rows, columns, planes = board_shape
        self.tower = nn.Sequential(
            _convolution(planes, channels), nn.ReLU(), *(ResidualBlock(channels) for _ in range(blocks))
        )
        self.dense = nn.Linear(channels * rows * columns, hidden)
        self.output_dim = hidden

    def forward(self, s: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Return features [n, hidden], and the state unchanged."""
        board = to_input(s, self.dense.weight).permute(0, 3, 1, 2)
        return torch.relu(self.dense(self.tower(board).flatten(1))), state


def _convolution(planes: int, channels: int) -> nn.Conv2d:
    """Return a 3 x 3 convolution that keeps the board's size."""
    return nn.Conv2d(planes, channels, 3, padding=1)
