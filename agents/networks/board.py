"""A small convolutional network for boards."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from agents.networks.common import to_input


class BoardNet(nn.Module):
    """One wide convolution for lines of cells, then a dense layer.

    Maps boards [n, R, C, planes] to features [n, hidden]. The window covers 4 x 4 cells, or the board where it is
    smaller, enough for short lines. On a CPU this costs a fraction of a residual tower; computed as one product of
    gathered windows, it takes less time than by `Conv2d`.
    """

    entries: torch.Tensor
    """Places of the entries of every window in a board, window after window, int64 [places * planes * 4 * 4]."""

    def __init__(self, board_shape: Sequence[int], channels: int, hidden: int):
        super().__init__()
        rows, columns, planes = board_shape
        self.window = down, across = min(4, rows), min(4, columns)
        self.places = (rows - down + 1) * (columns - across + 1)
        numbers = torch.arange(rows * columns * planes).view(rows, columns, planes)
        self.register_buffer("entries", numbers.unfold(0, down, 1).unfold(1, across, 1).reshape(-1), persistent=False)
        self.lines = nn.Linear(planes * down * across, channels)
        self.cells = nn.Linear(rows * columns * planes, hidden)
        self.dense = nn.Linear(channels * self.places, hidden)
        self.output_dim = hidden

    def forward(self, s: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Return features [n, hidden], and the state unchanged."""
        board = to_input(s, self.dense.weight).flatten(1)
        windows = board.index_select(1, self.entries).view(board.shape[0], self.places, self.lines.in_features)
        lines = torch.relu(self.lines(windows))
        return torch.relu(self.dense(lines.flatten(1)) + self.cells(board)), state
