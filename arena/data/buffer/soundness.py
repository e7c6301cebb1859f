"""Checks that arrays from a file form a valid buffer: compiled code follows the counters without bounds checks."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.data.batch import Batch

FLAGS = ("terminated", "truncated", "done")
NEEDED = ("obs", "act", "rew", *FLAGS)
"""Keys of every buffer that is not empty."""


def require_sound(sizes: Sequence[int], arrays: Batch, keys: Sequence[str]) -> None:
    """Raise `UsageError` for arrays and counters that are inconsistent with parts of these `sizes`."""
    if not sizes or min(sizes) < 1:
        raise UsageError("a part of the buffer has no places")
    try:
        _require_counters(np.array(sizes, np.int64), arrays.counters)
        storage = arrays.get("storage", Batch())
        if storage.is_empty():
            _require(not arrays.counters.fill.any(), "counters tell of transitions, and there are none")
        else:
            _require_storage(storage, sum(sizes), keys, arrays.counters.done)
    except (KeyError, AttributeError, TypeError, OverflowError) as error:
        raise UsageError(f"counters and arrays do not fit each other: {error}") from None


def _require_counters(size: NDArray[np.int64], counters: Batch) -> None:
    start, total = np.cumsum([0, *size[:-1]]), int(size.sum())
    ranges: dict[str, tuple[Any, Any]] = {
        "cursor": (0, size),
        "fill": (0, size + 1),
        "length": (0, np.iinfo(np.int64).max),
        "newest": (start, start + size),
        "start": (start, start + size),
    }
    for name, (low, high) in ranges.items():
        counter = counters[name]
        _require(counter.dtype == np.int64 and counter.shape == size.shape, f"{name} has another shape or type")
        _require(bool(((counter >= low) & (counter < high)).all()), f"{name} leads out of the buffer")
    _require(counters.done.dtype == np.bool_ and counters.done.shape == (total,), "done has another shape or type")
    ret = counters.ret
    _require(ret.dtype == np.float64 and ret.ndim == 2 and len(ret) == len(size), "ret has another shape or type")


def _require_storage(storage: Batch, total: int, keys: Sequence[str], done: NDArray[np.bool_]) -> None:
    unknown = sorted(set(storage.keys()) - set(keys))
    _require(not unknown, f"{', '.join(unknown)} are no keys of a transition")
    missing = [key for key in NEEDED if key not in storage]
    _require(not missing, f"{', '.join(missing)} are missing")
    _require(lengths(storage) <= {total}, f"the arrays have lengths {sorted(lengths(storage))}, not {total}")
    for key in FLAGS:
        _require(storage[key].dtype == np.bool_ and storage[key].ndim == 1, f"{key} holds no flags")
    _require(np.array_equal(storage.done, storage.terminated | storage.truncated), "done is not one of the other flags")
    rew = storage.rew
    _require(not isinstance(rew, Batch) and rew.dtype.kind == "f", "rew holds no numbers")


def lengths(batch: Batch) -> set[int]:
    """Return the lengths of all arrays of a nested batch; -1 for single numbers."""
    result: set[int] = set()
    for value in batch.values():
        result |= lengths(value) if isinstance(value, Batch) else {len(value) if np.ndim(value) else -1}
    return result


def _require(fits: bool, message: str) -> None:
    if not fits:
        raise UsageError(f"counters and arrays do not fit each other: {message}")
