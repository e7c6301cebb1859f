"""Infos, dictionaries in which an environment tells anything, as columns of a `Batch`.

Under a key, a column holds numbers where all values are numbers of one shape, and objects, by reference, where not: a
text, a list of changing length, whatever an environment puts there is kept as long as its row. A dictionary whose keys
are texts is a `Batch` of columns, any other is an object. Where an info lacks a key its row is blank: zero, or None
among objects.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.data import leaves
from arena.data.batch import Batch
from arena.data.rows import as_array
from arena.data.widening import widen

_LACKING = object()
_SCALARS = frozenset({bool, int, float, np.bool_, np.int64, np.float32, np.float64})


def columns(infos: Sequence[Mapping[Any, Any]] | NDArray[Any]) -> Batch:
    """Return the infos [n] of n rows as columns [n, ...]; an empty `Batch` if all are empty."""
    result = Batch()
    keys = dict.fromkeys([key for info in infos for key in info])
    for key in keys:
        column = _column([info.get(key, _LACKING) for info in infos])
        if not _is_blank(column):
            result.__dict__[str(key)] = column
    return result


def _column(values: list[Any]) -> Any:
    """Return the values of one key as a column."""
    if _SCALARS.issuperset(map(type, values)):
        return _as_numbers(values)  # the common case
    if all(value is _LACKING or _is_nested(value) for value in values):
        return columns([{} if value is _LACKING else value for value in values])
    entries = [_entry(value) for value in values]
    example = next(entry for entry in entries if entry is not _LACKING)
    if all(entry is _LACKING or _fits(entry, example) for entry in entries):
        blank = np.zeros_like(example)
        return np.stack([blank if entry is _LACKING else entry for entry in entries])
    return _objects_of([None if entry is _LACKING else entry for entry in entries])


def _as_numbers(values: list[Any]) -> NDArray[Any]:
    array = np.array(values)
    return array if array.dtype.kind in "biuf" else _objects_of(values)  # whole numbers beyond 64 bits


def _is_nested(value: Any) -> bool:
    return isinstance(value, Mapping) and all(type(key) is str for key in value)


def _entry(value: Any) -> Any:
    """Return numbers as an array, anything else unchanged."""
    if leaves.is_tensor(value):
        value = as_array(value)
    if isinstance(value, list | tuple):
        try:
            array = np.asarray(value)
        except ValueError:  # of lists of different lengths
            return value
    elif isinstance(value, np.ndarray) or leaves.is_numeric(value):
        array = np.asarray(value)
    else:
        return value
    return array if array.dtype.kind in "biufc" and array.size else value


def _fits(entry: Any, example: Any) -> bool:
    return type(entry) is type(example) is np.ndarray and entry.shape == example.shape


def fitted(storage: Batch, rows: Batch) -> Batch:
    """Return the columns `rows` in a form that can be written into `storage`.

    Columns of `storage` are widened where necessary. They become objects if values of another shape or kind arrive.
    """
    columns, result = storage.__dict__, Batch()
    for key, value in rows.__dict__.items():
        stored = columns.get(key)
        if _is_blank(value):
            continue
        if isinstance(value, Batch) and isinstance(stored, Batch):
            value = fitted(stored, value)
        elif stored is not None and not _is_blank(stored):
            value = value if isinstance(value, Batch) else as_array(value)
            if isinstance(stored, Batch) or isinstance(value, Batch) or stored.shape[1:] != value.shape[1:]:
                columns[key], value = one_by_one(stored), one_by_one(value)
        result.__dict__[key] = value
    widen(storage, result)
    return result


def of_numbers(info: Batch) -> Batch:
    """Return only the columns of numbers, for files that cannot hold objects."""
    kept = Batch()
    for key, value in info.__dict__.items():
        part = of_numbers(value) if isinstance(value, Batch) else value
        if isinstance(part, Batch) or as_array(part).dtype != object:
            kept.__dict__[key] = part
    return kept


def one_by_one(column: Any) -> NDArray[Any]:
    """Return a column as objects [n]: numbers, arrays, or dictionaries for a non-empty `Batch`."""
    if isinstance(column, Batch):
        full = {key: value for key, value in column.__dict__.items() if not _is_blank(value)}
        parts = {key: one_by_one(value) for key, value in full.items()}
        return _objects_of([{key: part[i] for key, part in parts.items()} for i in range(len(column))])
    if column.ndim == 1:
        return column if column.dtype == object else column.astype(object)
    return _objects_of([row.copy() for row in column])


def _is_blank(value: Any) -> bool:
    return isinstance(value, Batch) and value.is_empty(recurse=True)


def _objects_of(entries: Sequence[Any]) -> NDArray[Any]:
    """Return an object array [n], with scalars as Python numbers."""
    array = np.empty(len(entries), object)
    for i, entry in enumerate(entries):
        array[i] = entry.item() if type(entry) is np.ndarray and entry.ndim == 0 else entry
    return array
