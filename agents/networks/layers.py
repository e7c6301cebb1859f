"""Layers one after the other, at little more than the cost of their arithmetic."""

import torch
from torch import nn
from torch.nn.modules.module import _has_any_global_hook


class Layers(nn.Sequential):
    """`nn.Sequential` that computes linear layers and ReLUs without calling them, which takes as long as they do.

    The numbers, the gradients and the names of the weights are the same. Layers with hooks are called, and all where
    every module has some.
    """

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map [n, inputs] to [n, outputs]."""
        everywhere = _has_any_global_hook()  # type: ignore[no-untyped-call]
        for layer in self._modules.values():
            kind = None if everywhere or _has_hooks(layer) else type(layer)
            own = layer._parameters  # to ask for `layer.weight` takes 1 us
            weight = own.get("weight")  # None for a replica of `nn.DataParallel`
            if kind is nn.Linear and weight is not None:
                x = nn.functional.linear(x, weight, own["bias"])
            elif kind is nn.ReLU:
                x = torch.relu(x)
            else:
                x = layer(x)
        return x


def _has_hooks(layer: nn.Module) -> bool:
    return bool(layer._forward_hooks or layer._forward_pre_hooks or layer._backward_hooks or layer._backward_pre_hooks)
