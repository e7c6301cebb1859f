"""Saved buffers without the places that nothing has been written to, or that have been given free again."""

import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch
from arena.data.buffer.soundness import lengths
from arena.data.rows import write_rows


def filled_alone(arrays: Batch, edges: NDArray[np.int64]) -> Batch:
    """Return the `state_dict` of a buffer with the storage of the filled places alone, in their order.

    Where half of the places are filled or more, the storage itself is returned, its other places emptied: a copy of
    them would take as much memory again as all that is saved. Parts of the buffer begin at `edges` [K + 1].
    """
    storage, fill = arrays.storage, arrays.counters.fill
    if not len(storage.keys()):
        return arrays
    places = _places(edges, fill)
    if 2 * len(places) < edges[-1]:
        return Batch(arrays, storage=storage[places])
    storage.empty_(np.setdiff1d(np.arange(edges[-1]), places, assume_unique=True))
    return arrays


def with_all_places(arrays: Batch, edges: NDArray[np.int64]) -> Batch:
    """Return a state that `filled_alone` returned with a storage of all places again; any other as it is."""
    storage, fill = arrays.get("storage", Batch()), arrays.get("counters", Batch()).get("fill")
    sizes = np.diff(edges)
    if not isinstance(fill, np.ndarray) or fill.dtype != np.int64 or fill.shape != sizes.shape:
        return arrays
    if (fill < 0).any() or (fill >= sizes).all() or (fill > sizes).any() or lengths(storage) != {int(fill.sum())}:
        return arrays
    everything = Batch()
    write_rows(everything, storage, _places(edges, fill), int(sizes.sum()))
    return Batch(arrays, storage=everything)


def _places(edges: NDArray[np.int64], fill: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the filled places: the first of each part."""
    return np.concatenate([start + np.arange(count) for start, count in zip(edges[:-1], fill.tolist(), strict=True)])
