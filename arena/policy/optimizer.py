"""The optimizers of a policy, and saving and loading of their states as arrays."""

from collections.abc import Iterator
from typing import Any

import torch

from arena.base.errors import CheckpointError
from arena.data.batch import Batch


def optimizers_of(module: torch.nn.Module) -> list[torch.optim.Optimizer]:
    """Return the optimizers of a policy and its parts, in the order in which they were set."""
    optimizers = {id(optimizer): optimizer for part in module.modules() for optimizer in _among(vars(part).values())}
    return list(optimizers.values())


def _among(values: Any) -> Iterator[torch.optim.Optimizer]:
    for value in values:
        if isinstance(value, torch.optim.Optimizer):
            yield value
        elif isinstance(value, list | tuple):
            yield from _among(value)


def optimizer_state_dict(optimizer: torch.optim.Optimizer) -> Batch:
    """Return the optimizer's state of each parameter, by its number."""
    return Batch({str(number): dict(tensors) for number, tensors in optimizer.state_dict()["state"].items()})


def load_optimizer_state_dict(optimizer: torch.optim.Optimizer, arrays: Batch) -> None:
    """Load what `optimizer_state_dict` returned; the options of the optimizer do not change.

    Raises `CheckpointError` for a parameter that the optimizer does not have, a tensor that is neither a number nor of
    the parameter's shape, and numbers that are not finite.
    """
    state = optimizer.state_dict()
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    for number, tensors in arrays.items():
        if not number.isdecimal() or int(number) >= len(parameters):
            raise CheckpointError(f"optimizers/{number} belongs to no parameter: there are {len(parameters)}")
        tensors.to_torch()
        for name, tensor in tensors.items():
            if tensor.shape not in (torch.Size(), parameters[int(number)].shape):
                raise CheckpointError(f"optimizers/{number}/{name} has the shape {list(tensor.shape)}, not its own")
            if not bool(torch.isfinite(tensor).all()):
                raise CheckpointError(f"optimizers/{number}/{name} holds numbers that are not finite")
        state["state"][int(number)] = dict(tensors.items())
    optimizer.load_state_dict(state)
