"""Target networks: slowly following copies of networks."""

from copy import deepcopy
from typing import TypeVar

import torch
from torch import nn

Network = TypeVar("Network", bound=nn.Module)


def frozen_copy(network: Network) -> Network:
    """Return a copy in testing mode without gradients."""
    return deepcopy(network).eval().requires_grad_(False)


@torch.no_grad()
def polyak(target: nn.Module, network: nn.Module, tau: float) -> None:
    """Move a target network towards its network: target <- (1 - tau) target + tau network, 0 <= tau <= 1.

    Buffers, such as running statistics, are copied. Known as a soft update (arXiv 1509.02971, section 3).
    """
    for slow, fast in zip(target.parameters(), network.parameters(), strict=True):
        slow.lerp_(fast, tau)
    for target_buffer, buffer in zip(target.buffers(), network.buffers(), strict=True):
        target_buffer.copy_(buffer)
