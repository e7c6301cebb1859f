"""Writing rows of a batch into larger storage."""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.data import leaves
from arena.data.batch import Batch

_NOTHING = Batch()
_ARRAY = np.ndarray  # looked up once: these loops are most of what adding to a buffer takes


def as_array(value: Any) -> NDArray[Any]:
    """Return a leaf of a batch as a NumPy array; tensors are detached and moved to the CPU."""
    if type(value) is np.ndarray:  # the common case, and the first to be decided
        return value
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        value = value.detach().cpu().numpy()
    return np.asarray(value)


def write_rows(storage: Batch, rows: Batch, place: NDArray[np.int64] | slice, capacity: int) -> None:
    """Copy the rows of every leaf [n, ...] into their places [n] of `storage`, or into a slice of it.

    A key that comes for the first time gets an array of `capacity` rows, zero (None for objects) where nothing is
    written. The places of keys that `rows` lacks or reserves become zero too, so that nothing old is taken for new.
    """
    columns, given = storage.__dict__, rows.__dict__
    many = not isinstance(place, slice) and len(place) >= leaves.MANY
    if columns.keys() != given.keys():
        for key in columns.keys() - given.keys():
            _blank(columns[key], place)
    for key, value in given.items():
        stored = columns.get(key)
        if type(value) is type(stored) is _ARRAY:
            if many:
                leaves.set_rows_at(stored, place, value)
            else:
                stored[place] = value  # the common case
        elif isinstance(value, Batch):
            if stored is None:
                stored = columns[key] = Batch()
            if value.__dict__ or stored.__dict__:
                write_rows(stored, value, place, capacity)
        else:
            array = as_array(value)
            if stored is None or isinstance(stored, Batch):
                shape = (capacity, *array.shape[1:])  # zeros take no memory before they are written to
                of_objects = array.dtype.kind in "USO"
                stored = np.full(shape, None, object) if of_objects else np.zeros(shape, array.dtype)
                columns[key] = stored
            stored[place] = array


def _blank(stored: Any, place: NDArray[np.int64] | slice) -> None:
    if isinstance(stored, Batch):
        stored.empty_(place)
    else:
        stored[place] = leaves.blank(stored)


def require_alike(own: NDArray[Any], given: Any, name: str) -> None:
    """Raise `UsageError` unless `given` is an array of the shape and type of `own`."""
    if not isinstance(given, np.ndarray) or (given.shape, given.dtype) != (own.shape, own.dtype):
        actual = f"{given.dtype} of shape {given.shape}" if isinstance(given, np.ndarray) else type(given).__name__
        raise UsageError(f"{name} is {actual}, not {own.dtype} of shape {own.shape}")


def require_fit(storage: Batch, rows: Batch, count: int, path: str = "") -> None:
    """Raise `UsageError` unless there are `count` rows that `write_rows` can copy without loss."""
    given = storage.__dict__
    for key, value in rows.__dict__.items():
        stored = given.get(key, _NOTHING)
        if type(value) is type(stored) is _ARRAY:
            alike = value.dtype is stored.dtype and value.ndim == stored.ndim and len(value) == count
            if alike and (value.ndim == 1 or value.shape[1:] == stored.shape[1:]):
                continue  # the common case
        elif isinstance(value, Batch) and not value.__dict__ and isinstance(stored, Batch):
            continue
        name = path + key
        if isinstance(value, Batch):
            if not isinstance(stored, Batch):
                raise UsageError(f"{name} is a Batch here and an array in what is stored")
            require_fit(stored, value, count, f"{name}.")
            continue
        array = as_array(value)
        if isinstance(stored, Batch):
            if not stored.is_empty():
                raise UsageError(f"{name} is an array here and a Batch in what is stored")
            stored = array[:0] if array.ndim else np.zeros(0, array.dtype)
        if array.shape != (count, *stored.shape[1:]):
            raise UsageError(f"{name} has shape {array.shape}, not {(count, *stored.shape[1:])}")
        if _loses(array.dtype, stored.dtype):
            raise UsageError(f"{name} is of type {array.dtype}, which does not fit the {stored.dtype} stored")


def _loses(given: np.dtype[Any], stored: np.dtype[Any]) -> bool:
    """Return whether a copy would cut off fractions, or would put text or objects among numbers."""
    return (given.kind in "fc" and stored.kind in "biu") or (given.kind in "OUS" and stored.kind != "O")
