"""Target networks: copies that follow the networks they were made of."""

from copy import deepcopy
from typing import TypeVar

import torch
from torch import nn

Network = TypeVar("Network", bound=nn.Module)


def frozen_copy(network: Network) -> Network:
    """A copy in testing state, which no gradient reaches."""
    return deepcopy(network).eval().requires_grad_(False)


@torch.no_grad()
def polyak(target: nn.Module, network: nn.Module, tau: float) -> None:
    """Move a target network towards its model: target <- (1 - tau) target + tau network, 0 <= tau <= 1.

    Buffers, such as running statistics, are copied. Known as a soft update (arXiv 1509.02971, section 3).
    """
    for slow, fast in zip(target.parameters(), network.parameters(), strict=True):
        slow.lerp_(fast, tau)
    for held, seen in zip(target.buffers(), network.buffers(), strict=True):
        held.copy_(seen)
