"""The first layer of a network for many inputs of which each is nearly the one before it.

After efficiently updatable neural networks (Nasu 2018): where few inputs change, their rows of weights are added to
what the layer gave before. For the ends of turns in backgammon that takes a fifth of the time of a matrix product.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.networks.common import Net
from games.engine.jit import njit

RENEWED = 256
"""Rows after which the sum is begun anew, before errors of rounding add up."""


@torch.no_grad()
def forward_alike(network: Net, inputs: NDArray[np.float32]) -> torch.Tensor:
    """Return what a network on the CPU gives for inputs [m, F], each like the one before: outputs [m, A]."""
    first, further = network.model.model[0], network.model.model[1:]
    assert isinstance(first, nn.Linear)
    hidden = np.empty((len(inputs), first.out_features), np.float32)
    accumulate(inputs, np.ascontiguousarray(first.weight.numpy(force=True).T), first.bias.numpy(force=True), hidden)
    outputs: torch.Tensor = further(torch.from_numpy(hidden))
    return outputs


@njit(cache=True, nogil=True, fastmath={"contract"})
def accumulate(
    inputs: NDArray[np.float32], weight: NDArray[np.float32], bias: NDArray[np.float32], out: NDArray[np.float32]
) -> None:
    """Write `inputs @ weight + bias` into `out` [m, H], for inputs [m, F] and weights [F, H]."""
    features, width = weight.shape
    for row in range(inputs.shape[0]):
        fresh = row % RENEWED == 0
        for unit in range(width):
            out[row, unit] = bias[unit] if fresh else out[row - 1, unit]
        for feature in range(features):
            change = inputs[row, feature] if fresh else inputs[row, feature] - inputs[row - 1, feature]
            if change != 0:
                for unit in range(width):
                    out[row, unit] += change * weight[feature, unit]
