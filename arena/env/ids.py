"""Which environments a call means, and their seeds."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.data.buffer.ring import TWICE, UNKNOWN, fault_of
from arena.errors import UsageError

Ids = int | Sequence[int] | NDArray[np.integer[Any]] | None
"""Numbers of environments; None for all."""


def rows_of(id: Ids, num_envs: int) -> NDArray[np.int64]:
    """Row numbers for an `id`; `UsageError` if one is out of range or named twice."""
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
    """One seed for each of `count` environments: None, counting up from an int, or as listed."""
    if seed is None:
        return [None] * count
    if isinstance(seed, int | np.integer):
        return [int(seed) + i for i in range(count)]
    if len(seed) != count:
        raise UsageError(f"{len(seed)} seeds for {count} environments")
    return [None if one is None else int(one) for one in seed]
