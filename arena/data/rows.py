"""Writing rows of a batch into larger storage."""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch


def as_array(value: Any) -> NDArray[Any]:
    """A leaf of a batch as a NumPy array; tensors are detached and brought to the CPU."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        value = value.detach().cpu().numpy()
    return np.asarray(value)


def write_rows(storage: Batch, rows: Batch, place: NDArray[np.int64], capacity: int) -> None:
    """Copy the rows of every leaf [n, ...] into their places [n] of `storage`.

    A key that comes for the first time gets an array of `capacity` rows, zero (None for objects) where nothing is
    written.
    """
    for key, value in rows.items():
        if isinstance(value, Batch):
            if key not in storage:
                storage.__dict__[key] = Batch()
            write_rows(storage[key], value, place, capacity)
            continue
        array = as_array(value)
        if key not in storage or isinstance(storage[key], Batch):
            blank, dtype = (None, object) if array.dtype.kind in "USO" else (0, array.dtype)
            storage.__dict__[key] = np.full((capacity, *array.shape[1:]), blank, dtype)
        storage[key][place] = array
