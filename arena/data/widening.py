"""Widening of stored arrays to types that later values need."""

import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch


def widen(storage: Batch, rows: Batch) -> None:
    """Widen the arrays of `storage` so that they can also hold the values of `rows` under the same keys.

    Integers become floats if floats arrive, and larger integers, text and objects are accommodated. Floats keep their
    precision, since only digits are lost.
    """
    columns = storage.__dict__
    for key, value in rows.__dict__.items():
        stored = columns.get(key)
        if type(value) is np.ndarray and type(stored) is np.ndarray:
            if value.dtype != stored.dtype and not _holds(stored, value):
                columns[key] = stored.astype(np.result_type(stored, value))
        elif isinstance(value, Batch) and isinstance(stored, Batch):
            widen(stored, value)


def _holds(stored: NDArray[np.generic], value: NDArray[np.generic]) -> bool:
    if stored.dtype.kind in "fc":
        return np.can_cast(value.dtype, stored.dtype, "same_kind")
    return np.can_cast(value.dtype, stored.dtype, "safe")
