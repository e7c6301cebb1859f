"""A small convolutional network for boards."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from agents.networks.common import to_input


class BoardNet(nn.Module):
    """One wide convolution that sees lines of cells, then a dense layer: features [n, hidden] of boards [n, R, C, planes].

    The kernel covers 4 x 4 cells (or the board where it is smaller), which is where short lines live; on a CPU this costs
    a fraction of a residual tower.
    """

    def __init__(self, board_shape: Sequence[int], channels: int, hidden: int):
        super().__init__()
        rows, columns, planes = board_shape
        kernel = (min(4, rows), min(4, columns))
        places = (rows - kernel[0] + 1) * (columns - kernel[1] + 1)
        self.planes = planes
        self.lines = nn.Conv2d(planes, channels, kernel)
        self.cells = nn.Linear(rows * columns * planes, hidden)
        self.dense = nn.Linear(channels * places, hidden)
        self.output_dim = hidden

    def forward(self, s: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Features [n, hidden], and the state as it came."""
        board = to_input(s, self.dense)
        lines = torch.relu(self.lines(board.movedim(-1, 1)))
        return torch.relu(self.dense(lines.flatten(1)) + self.cells(board.flatten(1))), state
