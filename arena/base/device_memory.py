"""Memory of torch tensors as kernels for a CUDA device take it (`games.engine.device.DeviceKernel`).

Needs numba-cuda (extra `cuda`), so it is imported where a device is asked for.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from games.engine.device import SIMULATED, numbers_of


def as_argument(value: Any) -> Any:
    """Return a value as kernels take it: of tensors, in records as well, their memory."""
    if isinstance(value, tuple):
        return type(value)(*map(memory, value))
    return memory(value) if isinstance(value, Tensor) else value


def memory(tensor: Tensor, dtype: np.dtype[Any] | None = None) -> Any:
    """Return the memory of a contiguous tensor as kernels take it; with a `dtype`, as an array [n] of that."""
    assert tensor.is_contiguous()  # what kernels are compiled for
    if SIMULATED:
        return tensor.numpy() if dtype is None else tensor.numpy().reshape(-1).view(dtype)
    if dtype is not None:
        return numbers_of(tensor.data_ptr(), (tensor.nbytes // dtype.itemsize,), (dtype.itemsize,), dtype.itemsize)
    size = tensor.element_size()
    strides = tuple(stride * size for stride in tensor.stride())
    return numbers_of(tensor.data_ptr(), tuple(tensor.shape), strides, size)


def stream() -> int:
    """Return the stream on which torch works now, so that its operations and kernels come one after another."""
    return 0 if SIMULATED else torch.cuda.current_stream().cuda_stream
