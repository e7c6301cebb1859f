"""The state of an optimizer as arrays, to be saved and taken up again."""

import torch

from arena.data.batch import Batch


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
