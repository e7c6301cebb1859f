"""Detection of divergence: weights or losses that are not finite."""

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import nn


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
