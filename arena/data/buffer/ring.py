"""Walking a storage that is cut into rings, as compiled kernels over arrays of indices.

K rings lie one after another: ring k has the places `edges[k]` to `edges[k + 1]` - 1. `fill` [K] says how many places
of a ring are in use (from its first place on), `newest` [K] which place was written last. `done` [number of places]
marks episode ends.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.base.jit import njit

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

UNKNOWN, TWICE = 1, 2


@njit(cache=True, nogil=True)
def ring_of(place: int, edges: Ints) -> int:
    """Return the ring of a place: guessed, which succeeds if all rings are equally long, else searched."""
    guess = min(place // edges[1], edges.shape[0] - 2)
    if edges[guess] <= place < edges[guess + 1]:
        return guess
    return first_above(edges, place) - 1


@njit(cache=True, nogil=True)
def first_above(ascending: Ints, number: int) -> int:
    """Return the place of the first of ascending numbers that is above `number`, by halves; their count if none is.

    What `np.searchsorted` does, by which numba would load all of its linear algebra: a fifth of a second a process.
    """
    low, high = 0, ascending.shape[0]
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] > number:
            high = middle
        else:
            low = middle + 1
    return low


@njit(cache=True, nogil=True)
def prev(index: Ints, edges: Ints, fill: Ints, newest: Ints, done: Bools) -> Ints:
    """Return the place one step earlier in the episode, or the same place at its first step."""
    out = np.empty_like(index)
    for i in range(index.shape[0]):
        out[i] = index[i]
        ring = ring_of(index[i], edges)
        if fill[ring] > 0:
            start = edges[ring]
            before = start + (index[i] - start - 1) % fill[ring]
            # Around the ring the newest row stands before the oldest: it is not its past.
            if not done[before] and before != newest[ring]:
                out[i] = before
    return out


@njit(cache=True, nogil=True)
def next(index: Ints, edges: Ints, fill: Ints, newest: Ints, done: Bools) -> Ints:
    """Return the place one step later in the episode, or the same place at its last step or the newest entry."""
    out = np.empty_like(index)
    for i in range(index.shape[0]):
        out[i] = index[i]
        ring = ring_of(index[i], edges)
        if fill[ring] > 0 and not done[index[i]] and index[i] != newest[ring]:
            start = edges[ring]
            out[i] = start + (index[i] - start + 1) % fill[ring]
    return out


class Counters(NamedTuple):
    """Counters of K rings."""

    edges: Ints
    """Ring k has the places `edges[k]` to `edges[k + 1]` - 1, [K + 1]."""
    ends: Bools
    """Marks of the places where an episode ends, [number of places]."""
    cursor: Ints
    """Position in the ring of the next row, [K]."""
    fill: Ints
    """Number of places in use, [K]."""
    newest: Ints
    """The place written last, [K]."""
    episode_length: Ints
    """Number of rows of the current episode, [K]."""
    episode_start: Ints
    """Place of its first row, [K]."""
    episode_return: Floats
    """Its return so far, [K, D]."""


@njit(cache=True, nogil=True)
def advance(counters: Counters, rings: Ints, done: Bools, rew: Floats, positions: Ints, ended: Floats) -> None:
    """Take the next place of each ring in `rings` [R] for rows whose `done` [R] and `rew` [R, D] are given.

    Writes to `positions` [3, R] the places, the length of the episode that each row ends (0 if none) and its first
    place, and to `ended` [R, D] its return. Allocating these arrays here would take longer than the rest.
    """
    edges, ends, cursor, fill, newest, episode_length, episode_start, episode_return = counters
    place, length, start = positions[0], positions[1], positions[2]
    for i in range(rings.shape[0]):
        ring = rings[i]
        size = edges[ring + 1] - edges[ring]
        place[i] = edges[ring] + cursor[ring]
        if episode_length[ring] == 0:
            episode_start[ring] = place[i]
        start[i] = episode_start[ring]
        ends[place[i]] = done[i]
        episode_length[ring] += 1
        newest[ring] = place[i]
        cursor[ring] = (cursor[ring] + 1) % size
        fill[ring] = min(fill[ring] + 1, size)
        length[i] = episode_length[ring] if done[i] else 0
        if done[i]:
            episode_length[ring] = 0
        for d in range(rew.shape[1]):
            total = episode_return[ring, d] + rew[i, d]
            ended[i, d] = total if done[i] else 0.0
            episode_return[ring, d] = 0.0 if done[i] else total


@njit(cache=True, nogil=True)
def in_time_order(rings: Ints, edges: Ints, cursor: Ints, fill: Ints) -> Ints:
    """Return all places in use of the given rings, ring by ring, oldest first."""
    total = 0
    for ring in rings:
        total += fill[ring]
    out = np.empty(total, np.int64)
    k = 0
    for ring in rings:
        size = edges[ring + 1] - edges[ring]
        oldest = cursor[ring] if fill[ring] == size else 0  # of a full ring, what is overwritten next
        for j in range(fill[ring]):
            out[k] = edges[ring] + (oldest + j) % size
            k += 1
    return out


@njit(cache=True, nogil=True)
def drawn(chance: Floats, edges: Ints, fill: Ints) -> Ints:
    """Return a place in use, uniformly, for each number in [0, 1); none if no place is in use."""
    ends = fill.copy()
    for ring in range(1, ends.shape[0]):
        ends[ring] += ends[ring - 1]
    total = ends[-1]
    out = np.empty(chance.shape[0] if total > 0 else 0, np.int64)
    for i in range(out.shape[0]):
        rank = min(np.int64(chance[i] * total), total - 1)  # a chance just below 1 may round up to the total
        ring = first_above(ends, rank)
        out[i] = edges[ring] + rank - (ends[ring] - fill[ring])
    return out


@njit(cache=True, nogil=True)
def fault_of(rings: Ints, count: int) -> int:
    """`UNKNOWN` if one of `rings` is not among 0 .. count - 1, `TWICE` if one is named more than once, else 0."""
    for ring in rings:
        if not 0 <= ring < count:
            return UNKNOWN
    is_named = np.zeros(count, np.bool_)
    for ring in rings:
        if is_named[ring]:
            return TWICE
        is_named[ring] = True
    return 0


def as_places(index: Any, capacity: int) -> Ints:
    """Return an index as an int64 array of at least one axis; negative numbers count from the end of the storage.

    A boolean array [capacity] means the places where it is True. Raises `IndexError` for what is out of range: compiled
    code does not look.
    """
    places = np.atleast_1d(index)
    if places.dtype == np.bool_:
        if places.shape != (capacity,):
            raise IndexError(f"a boolean index has shape ({capacity},), not {places.shape}")
        return np.flatnonzero(places)
    if places.size == 0:
        return places.astype(np.int64)
    if places.dtype.kind not in "iu":
        raise IndexError(f"an index is made of whole numbers, not {places.dtype}")
    flat = np.array(places, np.int64).ravel()
    if not _count_from_front(flat, capacity):
        raise IndexError(f"index {index} is out of range for {capacity} places")
    return flat if places.ndim == 1 else flat.reshape(places.shape)


@njit(cache=True, nogil=True)
def _count_from_front(places: Ints, capacity: int) -> bool:
    """Convert negative places, which count from the end, to positive ones; return whether all exist."""
    for i in range(places.shape[0]):
        if places[i] < 0:
            places[i] += capacity
        if not 0 <= places[i] < capacity:
            return False
    return True
