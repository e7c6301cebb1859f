"""Nested batches as flat mappings from a path to an array, which is what file formats know."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch
from arena.data.rows import as_array


def flatten(batch: Batch, prefix: str = "") -> dict[str, NDArray[Any]]:
    """Leaves by path, `a/b/c`; reserved keys are left out."""
    flat: dict[str, NDArray[Any]] = {}
    for key, value in batch.items():
        if isinstance(value, Batch):
            flat.update(flatten(value, f"{prefix}{key}/"))
        else:
            flat[prefix + key] = np.asarray(as_array(value), order="C")  # ascontiguousarray makes scalars arrays of one
    return flat


def unflatten(flat: Mapping[str, NDArray[Any]]) -> Batch:
    """The nested batch of a flat mapping."""
    batch = Batch()
    for path, value in flat.items():
        *parents, key = path.split("/")
        node = batch
        for parent in parents:
            if parent not in node:
                node[parent] = Batch()
            node = node[parent]
        node[key] = value
    return batch
