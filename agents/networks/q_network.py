"""Networks of action values: a body and a head."""

from typing import Any

import torch
from torch import nn

from agents.networks.common import Linear, Net, output_dim_of


class QNetwork(nn.Module):
    """A linear head on a body, from observations to one number (or `num_atoms`) per action.

    Args:
        body: maps observations to features [n, D], with D its `output_dim`, and a hidden state.
        num_actions: A.
        num_atoms: numbers per action.
        softmax: normalise the numbers of an action to probabilities.
        dueling: separate values and advantages (arXiv 1511.06581, equation 9).
        linear_layer: linear layers of a dueling head.

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
            output_dim_of(body),
            num_actions,
            num_atoms=num_atoms,
            softmax=softmax,
            dueling_param=(options, options) if dueling else None,
        )

    def forward(self, s: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Return outputs [n, A] ([n, A, num_atoms] with several atoms), and the hidden state of the body."""
        features, hidden = self.body(s, state)
        return self.head(features)[0], hidden
