"""Networks in bfloat16, with 8 significant bits; takes half the time on processors that support it."""

from copy import deepcopy

import torch
from torch import nn

from agents.learning.actor_critic import logits_and_values
from agents.learning.fused_linear import FusedLinear, can_fuse, fuse
from agents.networks.common import MLP

ROWS = 32
"""Batches on a CPU are filled up to a multiple of so many rows."""


def half_precision(device: torch.device, wanted: bool = True) -> torch.autocast:
    """Return a context in which networks on a device compute in bfloat16, if `wanted` and supported.

    Weights, norms and sums keep their precision (Micikevicius et al. 2018, arXiv 1710.03740).
    """
    return torch.autocast(device.type, torch.bfloat16, enabled=wanted and has_bfloat16(device))


def has_bfloat16(device: torch.device) -> bool:
    """Return whether a device computes in bfloat16 natively."""
    if device.type == "cpu":  # torch tells it by private functions alone, which not every version has
        return any(getattr(torch.cpu, name, bool)() for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"))
    return device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)


class HalfActorCritic:
    """A copy of an actor and a critic to evaluate many small batches, its dense and convolutional weights in bfloat16.

    It gives what the networks give in `half_precision`, to the bit: there those weights are converted again in every
    call, which takes a third of the time of 200 observations.
    """

    def __init__(self, actor: nn.Module, critic: nn.Module):
        self._networks = nn.ModuleList([actor, critic])
        self._copies = deepcopy(self._networks).requires_grad_(False)  # at once: they may share their body
        for module in self._copies.modules():
            if isinstance(module, nn.Linear | nn.Conv1d | nn.Conv2d | nn.Conv3d):
                module.to(torch.bfloat16)
            elif isinstance(module, MLP):
                module.compute_in(torch.bfloat16)
        if can_fuse(next(self._copies.parameters()).device):
            fuse(self._copies)
        self.device = next(self._copies.parameters()).device
        """Device of the copy, that of the networks when it was made."""
        self._made_of = self._versions()

    def _versions(self) -> list[tuple[int, int]]:
        return [(tensor.data_ptr(), tensor._version) for tensor in self._networks.parameters()]

    @property
    def is_current(self) -> bool:
        """False if weights have been loaded into the networks since the copy was made; steps of optimizers count not.

        (torch does not count what its fused optimizers change in place.)
        """
        return self._versions() == self._made_of

    @torch.no_grad()
    def refresh(self) -> None:
        """Take over the present weights and buffers of the networks."""
        for kept, present in (
            *zip(self._copies.parameters(), self._networks.parameters(), strict=True),
            *zip(self._copies.buffers(), self._networks.buffers(), strict=True),
        ):
            kept.copy_(present)
        for module in self._copies.modules():
            if isinstance(module, FusedLinear):
                module.pack()

    def logits_and_values(self, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logits [n, A] and values [n] of observations, in float32.

        On a CPU, oneDNN compiles each layer for each number of rows that it meets, and keeps that: 300 MB for all
        numbers up to 512. So rows of zeros fill batches up there.
        """
        actor, critic = self._copies
        n = len(obs)
        missing = -n % ROWS if self.device.type == "cpu" else 0
        if missing:
            obs = torch.cat([obs, obs.new_zeros(missing, *obs.shape[1:])])
        with half_precision(self.device):
            logits, values = logits_and_values(actor, critic, obs)
        return logits[:n], values[:n]
