"""Memory of torch tensors as numba's kernels for a CUDA device take it.

Needs numba-cuda (extra `cuda`), so it is imported where a device is asked for.
"""

from typing import Any

import torch
from numba import config, cuda
from torch import Tensor

SIMULATED = bool(vars(config)["ENABLE_CUDASIM"])  # numba sets it where no type checker looks
"""Whether numba runs kernels in its simulator, on tensors of the CPU."""


def as_argument(value: Any) -> Any:
    """Return a value as kernels take it: of tensors, in records as well, their memory."""
    if isinstance(value, tuple):
        return type(value)(*map(memory, value))
    return memory(value) if isinstance(value, Tensor) else value


def memory(tensor: Any) -> Any:
    """Return the memory of a tensor as kernels take it."""
    return tensor.numpy() if SIMULATED else cuda.as_cuda_array(tensor)


def stream() -> Any:
    """Return the stream on which torch works now, so that its operations and kernels come one after another."""
    handle = 0 if SIMULATED else torch.cuda.current_stream().cuda_stream
    return cuda.external_stream(handle) if handle else 0
