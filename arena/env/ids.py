"""Environment numbers and seeds, read from the arguments of a call."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.data.buffer.ring import TWICE, UNKNOWN, fault_of

Ids = int | Sequence[int] | NDArray[np.integer[Any]] | None
"""Numbers of environments; None for all."""


def rows_of(id: Ids, num_envs: int) -> NDArray[np.int64]:
    """Return row numbers for an `id`; `UsageError` if one is out of range or named twice."""
    if id is None:
        return np.arange(num_envs)
    rows = np.atleast_1d(id)
    if rows.dtype.kind not in "iu" and rows.size:
        raise UsageError(f"id {id!r} is not made of whole numbers")
    rows = np.ascontiguousarray(rows, np.int64)
    fault = fault_of(rows, num_envs) if rows.ndim == 1 else UNKNOWN
    if fault == UNKNOWN:
        raise UsageError(f"id {id!r} is not among the environments 0 to {num_envs - 1}")
    if fault == TWICE:
        raise UsageError(f"id {id!r} names an environment twice")
    return rows


def seeds_for(seed: int | Sequence[int | None] | None, count: int) -> list[int | None]:
    """Return a seed for each of `count` environments: None, counting up from an int, or as listed.

    Raises `UsageError` for values that are not integers, or a wrong number of them.
    """
    if seed is None:
        return [None] * count
    if _is_whole(seed):
        return [int(seed) + i for i in range(count)]  # type: ignore[arg-type]  # it is a number
    listed = (
        seed.ndim > 0
        if isinstance(seed, np.ndarray)
        else isinstance(seed, Sequence) and not isinstance(seed, str | bytes)
    )
    each: list[Any] = list(seed) if listed else [seed]  # type: ignore[arg-type]  # a list, then
    if not listed or not all(one is None or _is_whole(one) for one in each):
        raise UsageError(f"seed={seed!r} is neither a whole number nor a list of them, one per environment")
    if len(each) != count:
        raise UsageError(f"{len(each)} seeds for {count} environments")
    return [None if one is None else int(one) for one in each]


def _is_whole(seed: Any) -> bool:
    return isinstance(seed, int | np.integer) and not isinstance(seed, bool)
