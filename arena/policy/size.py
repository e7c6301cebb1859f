"""A limit on the size of networks, for untrusted configurations."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn.modules.module import (
    register_module_buffer_registration_hook,
    register_module_parameter_registration_hook,
)

from arena.base.errors import UsageError

MOST_WEIGHTS = 2**31
"""Maximum number of weights of a network: 8 GiB in single precision."""


@contextmanager
def weights_within(most: int = MOST_WEIGHTS) -> Iterator[None]:
    """Raise `UsageError` within the context for networks of more than `most` weights, before memory is used.

    Modules register a tensor before it is written, when its memory has only been reserved.
    """
    num_weights = 0

    def count(module: Any, name: str, tensor: torch.Tensor | None) -> None:
        nonlocal num_weights
        num_weights += 0 if tensor is None else tensor.numel()
        if num_weights > most:
            raise UsageError(f"the network has more than {most:,} weights: its options are too large")

    hooks = [register_module_parameter_registration_hook(count), register_module_buffer_registration_hook(count)]
    try:
        yield
    except (RuntimeError, MemoryError, OverflowError, TypeError) as error:
        if _is_about_size(error):
            raise UsageError("the network does not fit into memory: its options are too large") from None
        raise
    finally:
        for hook in hooks:
            hook.remove()


def _is_about_size(error: Exception) -> bool:
    """Return whether torch or numpy refused a tensor because of its size."""
    text = str(error)
    words = ("allocate", "memory", "Storage size", "Overflow", "overflow", "too large")
    return isinstance(error, MemoryError | OverflowError) or any(word in text for word in words)
