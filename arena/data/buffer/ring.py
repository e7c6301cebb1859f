"""Walking a storage that is cut into equal rings, as compiled kernels over arrays of indices.

K rings of S places each lie one after another; place p belongs to ring p // S. `fill` [K] says how many places of a
ring are in use (from its first place on), `newest` [K] which place was written last. `done` [K * S] marks episode
ends.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@njit(cache=True, nogil=True)
def prev(index: Ints, size: int, fill: Ints, newest: Ints, done: NDArray[np.bool_]) -> Ints:
    """The place one step earlier in the same episode, the same place where an episode begins."""
    out = np.empty_like(index)
    for i in range(index.shape[0]):
        out[i] = index[i]
        ring = index[i] // size
        if fill[ring] > 0:
            start = ring * size
            before = start + (index[i] - start - 1) % fill[ring]
            if not done[before] and before != newest[ring]:
                out[i] = before
    return out


@njit(cache=True, nogil=True)
def next(index: Ints, size: int, fill: Ints, newest: Ints, done: NDArray[np.bool_]) -> Ints:
    """The place one step later in the same episode, the same place at an episode's end or the newest entry."""
    out = np.empty_like(index)
    for i in range(index.shape[0]):
        out[i] = index[i]
        ring = index[i] // size
        if fill[ring] > 0 and not done[index[i]] and index[i] != newest[ring]:
            start = ring * size
            out[i] = start + (index[i] - start + 1) % fill[ring]
    return out


@njit(cache=True, nogil=True)
def advance(
    rings: Ints,
    size: int,
    done: NDArray[np.bool_],
    cursor: Ints,
    fill: Ints,
    newest: Ints,
    episode_length: Ints,
    episode_start: Ints,
) -> tuple[Ints, Ints, Ints]:
    """Take the next place of each ring in `rings` [R] for a row whose `done` [R] is given; updates the counters.

    Returns the places, the length of the episode that each row ends (0 if it ends none), and where its episode began.
    """
    place, length, start = np.empty_like(rings), np.zeros_like(rings), np.empty_like(rings)
    for i in range(rings.shape[0]):
        ring = rings[i]
        place[i] = ring * size + cursor[ring]
        if episode_length[ring] == 0:
            episode_start[ring] = place[i]
        start[i] = episode_start[ring]
        episode_length[ring] += 1
        newest[ring] = place[i]
        cursor[ring] = (cursor[ring] + 1) % size
        fill[ring] = min(fill[ring] + 1, size)
        if done[i]:
            length[i] = episode_length[ring]
            episode_length[ring] = 0
    return place, length, start


@njit(cache=True, nogil=True)
def in_time_order(rings: Ints, size: int, cursor: Ints, fill: Ints) -> Ints:
    """Every place in use of the given rings, ring by ring, oldest first."""
    total = 0
    for ring in rings:
        total += fill[ring]
    out = np.empty(total, np.int64)
    k = 0
    for ring in rings:
        oldest = cursor[ring] if fill[ring] == size else 0
        for j in range(fill[ring]):
            out[k] = ring * size + (oldest + j) % size
            k += 1
    return out


@njit(cache=True, nogil=True)
def nth_in_use(ranks: Ints, size: int, fill: Ints) -> Ints:
    """The places with the given ranks (0 .. sum(fill) - 1), counting the places in use ring by ring."""
    ends = np.cumsum(fill)
    out = np.empty_like(ranks)
    for i in range(ranks.shape[0]):
        ring = np.searchsorted(ends, ranks[i], side="right")
        out[i] = ring * size + ranks[i] - (ends[ring] - fill[ring])
    return out


def as_places(index: Any, capacity: int) -> Ints:
    """An index as an int64 array of at least one axis; negative numbers count from the end of the storage.

    A boolean array [capacity] means the places where it is True. Raises `IndexError` for what is out of range: compiled
    code does not look.
    """
    places = np.atleast_1d(np.asarray(index))
    if places.dtype == np.bool_:
        if places.shape != (capacity,):
            raise IndexError(f"a boolean index has shape ({capacity},), not {places.shape}")
        return np.flatnonzero(places)
    if places.size == 0:
        return places.astype(np.int64)
    if places.dtype.kind not in "iu":
        raise IndexError(f"an index is made of whole numbers, not {places.dtype}")
    if places.min() < -capacity or places.max() >= capacity:
        raise IndexError(f"index {index} is out of range for {capacity} places")
    return np.where(places < 0, places + capacity, places).astype(np.int64, copy=False)
