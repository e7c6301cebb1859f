"""Storage whose arrays take the wider type when what comes later needs it."""

import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch


def widen(storage: Batch, rows: Batch) -> None:
    """Give the arrays of `storage` types that hold the values of `rows`, under the same keys, as well.

    Whole numbers become fractions where those come, and larger whole numbers, text and objects find their place.
    Fractions of a shorter type stay what they are: nothing but digits is lost.
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
