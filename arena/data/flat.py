"""Conversion of nested batches to flat mappings from path to array, for file formats."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch
from arena.data.rows import as_array


def flatten(batch: Batch, prefix: str = "") -> dict[str, NDArray[Any]]:
    """Return leaves by path, `a/b/c`, without reserved keys."""
    flat: dict[str, NDArray[Any]] = {}
    for key, value in batch.items():
        if isinstance(value, Batch):
            flat.update(flatten(value, f"{prefix}{key}/"))
        else:
            flat[prefix + key] = np.asarray(as_array(value), order="C")  # ascontiguousarray makes scalars arrays of one
    return flat


def unflatten(flat: Mapping[str, NDArray[Any]]) -> Batch:
    """Return the nested batch of a flat mapping."""
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
