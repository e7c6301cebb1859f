"""The optimizers of a policy, and the state of one as arrays, to be saved and taken up again."""

from collections.abc import Iterator
from typing import Any

import torch

from arena.data.batch import Batch


def optimizers_of(module: torch.nn.Module) -> list[torch.optim.Optimizer]:
    """The optimizers that a policy and its parts hold, in the order in which they were set."""
    found = {id(optimizer): optimizer for part in module.modules() for optimizer in _among(vars(part).values())}
    return list(found.values())


def _among(values: Any) -> Iterator[torch.optim.Optimizer]:
    for value in values:
        if isinstance(value, torch.optim.Optimizer):
            yield value
        elif isinstance(value, list | tuple):
            yield from _among(value)


def optimizer_arrays(optimizer: torch.optim.Optimizer) -> Batch:
    """What the optimizer remembers of each parameter, by its number."""
    return Batch({str(number): dict(tensors) for number, tensors in optimizer.state_dict()["state"].items()})


def restore_optimizer(optimizer: torch.optim.Optimizer, arrays: Batch) -> None:
    """Take over what `optimizer_arrays` gave; the options of the optimizer stay its own."""
    state = optimizer.state_dict()
    for number, tensors in arrays.items():
        tensors.to_torch()
        state["state"][int(number)] = dict(tensors.items())
    optimizer.load_state_dict(state)
