"""Linear layers in bfloat16 as oneDNN computes them fastest on a CPU: with the ReLU behind them, on packed weights."""

from typing import Any

import torch
from torch import nn

PLAIN, RELU = "none", "relu"
OPERATIONS = ("_reorder_linear_weight", "_linear_pointwise")


class FusedLinear(nn.Module):
    """A linear layer, and a ReLU after it if `activation` is `RELU`, in one operation; for inference.

    `nn.Linear` packs its weights in every call, which takes a third of the time of some hundred rows, and the ReLU goes
    once more through the result. The numbers are the same.
    """

    def __init__(self, linear: nn.Linear, activation: str):
        super().__init__()
        self.linear, self._activation = linear, activation
        self.pack()

    def pack(self) -> None:
        """Take over the present weights of the layer."""
        reorder: Any = torch.ops.mkldnn._reorder_linear_weight
        self._packed: torch.Tensor = reorder(self.linear.weight.detach(), None)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map [n, inputs] to [n, outputs]."""
        compute: Any = torch.ops.mkldnn._linear_pointwise
        y: torch.Tensor = compute(x.bfloat16(), self._packed, self.linear.bias, self._activation, [], "")
        return y


def can_fuse(device: torch.device) -> bool:
    """Return whether `FusedLinear` can be used on a device: a CPU, and a torch with these operations of oneDNN."""
    known = all(hasattr(torch.ops.mkldnn, name) for name in OPERATIONS)  # torch lists only those that have been used
    available: Any = torch.backends.mkldnn.is_available  # untyped
    return device.type == "cpu" and known and bool(available())


def fuse(module: nn.Module) -> None:
    """Replace the linear layers in the sequences within a module, and each ReLU after one, by fused ones."""
    for name, child in module.named_children():
        if isinstance(child, nn.Sequential):
            setattr(module, name, _fused(child))
        else:
            fuse(child)


def _fused(layers: nn.Sequential) -> nn.Sequential:
    fused: list[nn.Module] = []
    for layer in layers:
        if isinstance(layer, nn.Linear):
            fused.append(FusedLinear(layer, PLAIN))
        elif isinstance(layer, nn.ReLU) and fused and isinstance(fused[-1], FusedLinear):
            fused[-1] = FusedLinear(fused[-1].linear, RELU)
        else:
            fuse(layer)
            fused.append(layer)
    return nn.Sequential(*fused)
