"""Networks of action values: a body that sees, and a head upon it."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from agents.networks.common import Linear, Net
from agents.networks.residual import ResidualTower


def make_body(shape: Sequence[int], hidden: int, blocks: int = 0) -> nn.Module:
    """From observations to `hidden` features: a perceptron of two layers or, with `blocks`, a tower for boards."""
    if blocks:
        return ResidualTower(shape, blocks=blocks, hidden=hidden)
    return Net(shape, hidden_sizes=(hidden, hidden))


class QNetwork(nn.Module):
    """From observations to one number (or `num_atoms`) an action, by a linear head upon a body.

    Args:
        body: from observations to features [n, D], D its `output_dim`, and a hidden state.
        num_actions: A.
        num_atoms: numbers an action.
        softmax: make the numbers of an action probabilities.
        dueling: separate values and advantages (arXiv 1511.06581, equation 9).
        linear_layer: what the head of a dueling network is made of.

    """

    def __init__(
        self,
        body: nn.Module,
        num_actions: int,
        num_atoms: int = 1,
        softmax: bool = False,
        dueling: bool = False,
        linear_layer: Linear = nn.Linear,
    ):
        super().__init__()
        self.body = body
        options = {"linear_layer": linear_layer}
        self.head = Net(
            int(body.output_dim),  # type: ignore[arg-type]  # a number, where torch sees any attribute
            num_actions,
            num_atoms=num_atoms,
            softmax=softmax,
            dueling_param=(options, options) if dueling else None,
        )

    def forward(self, s: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Outputs [n, A] ([n, A, num_atoms] with several atoms), and the hidden state of the body."""
        features, hidden = self.body(s, state)
        return self.head(features)[0], hidden
