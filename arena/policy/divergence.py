"""Detection of divergence: weights or losses that are not finite."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from arena.base.errors import DivergedError


def broken_tensor(module: nn.Module) -> str | None:
    """Return the name of the first parameter with an entry that is not a finite number; None if there is none."""
    for name, parameter in module.named_parameters():
        if not torch.isfinite(parameter).all():
            return name.removeprefix("_modules_held.")
    return None


def broken_loss(figures: Mapping[str, Any]) -> str | None:
    """Return the name and value of the first figure of losses that is not a finite number; None if there is none."""
    for name, value in figures.items():
        for number in value if isinstance(value, list) else [value]:
            if "loss" in name and isinstance(number, float) and not math.isfinite(number):
                return f"{name} = {number}"
    return None


def require_drawn(act: Tensor | NDArray[np.int64]) -> None:
    """Raise `DivergedError` if one of the actions [n] is -1, which stands for none: its scores were no numbers."""
    if (act < 0).any():
        raise DivergedError("the network's scores are not numbers (NaN): no action can be drawn")
