"""Operations on the leaves of a `Batch`: arrays, tensors and scalars.

torch is used where the values are tensors, and imported nowhere here: a tensor can only come from who has imported it.
"""

import sys
from collections.abc import Sequence
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

MANY = 128
"""Number of rows from which choosing the fastest way of writing pays off."""


def is_tensor(value: Any) -> bool:
    """Return whether `value` is a torch tensor."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_numeric(value: Any) -> bool:
    """Return whether a scalar or an array holds numbers or booleans."""
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.kind in "biufc"
    return isinstance(value, Number)


def to_array(sequence: Sequence[Any]) -> Any:
    """Convert a list or tuple to an array, of objects if necessary; equally shaped tensors are stacked."""
    if sequence and all(is_tensor(item) for item in sequence):
        return stack(sequence, 0)
    try:
        return tidy(np.asanyarray(sequence))
    except ValueError:  # rows of different lengths
        array = np.empty(len(sequence), object)
        for i, item in enumerate(sequence):
            array[i] = item
        return array


def tidy(array: NDArray[Any]) -> NDArray[Any]:
    """Convert text to objects, since an array of fixed width would truncate later entries."""
    return array.astype(object) if array.dtype.kind in "US" else array


def rows_at(value: Any, index: Any) -> Any:
    """Return `value[index]`, computed in the fastest way."""
    if type(index) is np.ndarray and type(value) is np.ndarray:
        if value.ndim > 1 and index.dtype.kind == "i":
            return value.take(index, 0)  # four times as fast where rows are short
        return value[index]
    return value[index_of(value, index)]


def set_rows_at(value: NDArray[Any], index: Any, rows: NDArray[Any]) -> None:
    """Set `value[index] = rows`, in the fastest way if the index lists `MANY` rows or more."""
    if rows.ndim > 1 and rows.size and rows.dtype == value.dtype and not rows.dtype.hasobject:
        alike = rows.shape == (len(index), *value.shape[1:])
        if alike and value.flags.c_contiguous and rows.flags.c_contiguous:
            item = f"V{rows.nbytes // len(rows)}"  # a row as one item: up to four times as fast
            value.reshape(-1).view(item)[index] = rows.reshape(-1).view(item)
            return
    value[index] = rows


def index_of(value: Any, index: Any) -> Any:
    """Convert `index` for `value`: torch has no slices with negative steps."""
    if isinstance(index, slice) and index.step is not None and index.step < 0 and is_tensor(value):
        return list(range(len(value))[index])
    return index


def blank(value: Any) -> Any:
    """Return the value that an emptied entry of `value` is set to: zero, or None for objects."""
    if isinstance(value, np.ndarray) or is_tensor(value):
        return None if value.dtype == object else 0
    return type(value)(0) if is_numeric(value) else None


def blank_rows(example: Any, length: int) -> Any:
    """Return `length` blank rows that can be concatenated with `example`."""
    shape = (length, *example.shape[1:])
    if is_tensor(example):
        return example.new_zeros(shape)
    return np.full(shape, None) if example.dtype == object else np.zeros(shape, example.dtype)


def blank_like(example: Any) -> Any:
    """Return a blank of the shape of `example`."""
    if isinstance(example, np.ndarray):
        return np.full(example.shape, None) if example.dtype == object else np.zeros_like(example)
    return example.new_zeros(example.shape) if is_tensor(example) else blank(example)


def concatenate(values: Sequence[Any]) -> Any:
    """Join along the first axis; arrays and tensors do not mix (`TypeError`)."""
    if any(is_tensor(value) for value in values):
        return sys.modules["torch"].cat(values)
    return np.concatenate(values)


def stack(values: Sequence[Any], axis: int) -> Any:
    """Join along a new axis; arrays and tensors do not mix (`TypeError`)."""
    if any(is_tensor(value) for value in values):
        return sys.modules["torch"].stack(values, axis)
    arrays = [np.asarray(value) for value in values]
    first, objects = arrays[0], any([array.dtype.kind in "OUS" for array in arrays])
    if axis == 0 and not objects and all([a.dtype == first.dtype and a.shape == first.shape for a in arrays]):
        stacked = np.empty((len(arrays), *first.shape), first.dtype)  # the common case: a third of np.stack's time
        for i, array in enumerate(arrays):
            stacked[i] = array
        return stacked
    if objects:
        arrays = [array.astype(object) for array in arrays]
    return np.stack(arrays, axis)


def equal(a: Any, b: Any) -> bool:
    """Return whether two leaves have the same kind, shape and entries."""
    if is_tensor(a) != is_tensor(b) or np.shape(a) != np.shape(b):
        return False
    return bool((a == b).all()) if is_tensor(a) else bool(np.all(a == b))


def mean(value: Any, axis: Any, dtype: Any) -> Any:
    """Return the mean of an array or a tensor over `axis` (None: all axes), computed in `dtype`."""
    return value.mean(axis, dtype=dtype) if is_tensor(value) else np.mean(value, axis, dtype)


def text(value: Any) -> str:
    """Return `value` as text; a NumPy scalar is printed as a plain number."""
    return repr(value.item() if isinstance(value, np.generic) else value)
