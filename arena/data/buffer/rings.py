"""`Rings`: where the rows of a buffer stand, apart from what they hold."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.base.jit import Unchecked
from arena.data.batch import Batch
from arena.data.buffer import ring

Index = int | slice | Sequence[int] | NDArray[Any]
Added = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]
"""For each added row: its place, then return, length (0 if none) and first place of the episode that it ended."""

ADVANCE = Unchecked(ring.advance)


class Rings:
    """Places of K rings, one after another in one block, and the episodes that the rows in them make up.

    Args:
        sizes: number of places of each ring, [K].

    """

    def __init__(self, sizes: Sequence[int]):
        self.edges = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        """Ring k has the places `edges[k]` to `edges[k + 1]` - 1, [K + 1]."""
        self.numbers = np.arange(len(sizes))
        """Numbers of all rings, [K]."""
        self.capacity = int(self.edges[-1])
        """Number of places."""
        self.counters = _no_rows(self.edges, np.zeros(self.capacity, np.bool_))

    def __len__(self) -> int:
        return len(self.numbers)

    def clear(self, keep_statistics: bool) -> None:
        """Free all places; with `keep_statistics` episodes under way keep their return and length so far."""
        before = self.counters
        self.counters = _no_rows(self.edges, before.ends)
        if keep_statistics:
            length, returns = before.episode_length, before.episode_return
            self.counters = self.counters._replace(episode_length=length, episode_return=returns)

    def clear_ring(self, k: int) -> None:
        """Free the places of ring k."""
        counters = self.counters
        counters.cursor[k] = counters.fill[k] = 0
        counters.newest[k] = counters.episode_start[k] = self.edges[k]

    def numbered(self, buffer_ids: Sequence[int] | NDArray[np.integer[Any]], count: int) -> NDArray[np.int64]:
        """Return numbers of rings below `count` as an array; raise `UsageError` for one that is repeated or unknown."""
        if buffer_ids is self.numbers:
            return self.numbers
        given = buffer_ids if type(buffer_ids) is np.ndarray and buffer_ids.ndim else np.atleast_1d(buffer_ids)
        if given.dtype.kind not in "iu" and given.size:
            raise UsageError(f"buffer_ids {given.tolist()} are not whole numbers")
        rings = np.ascontiguousarray(given, np.int64)
        fault = ring.fault_of(rings, count)
        if fault == ring.UNKNOWN:
            raise UsageError(f"buffer_ids {rings.tolist()} are not among the sub-buffers 0 to {count - 1}")
        if fault == ring.TWICE:
            raise UsageError(f"buffer_ids {rings.tolist()} name a sub-buffer twice")
        return rings

    # --- taking places ------------------------------------------------------------------------------------------

    def advance(self, rings: NDArray[np.int64], rew: NDArray[Any], done: NDArray[np.bool_]) -> Added:
        """Take the next place of each ring in `rings` [R] for rows with these rewards [R, ...] and ends [R]."""
        if done.ndim != 1:
            raise UsageError(f"done has shape {done.shape}, not one flag per transition")
        columns = rew[:, None] if rew.ndim == 1 else rew.reshape(len(rew), math.prod(rew.shape[1:]))
        self._fit_returns(columns.shape[1])
        positions, ended = np.empty((3, len(rings)), np.int64), np.empty(columns.shape)
        ADVANCE.call(self.counters, rings, done, np.ascontiguousarray(columns), positions, ended)
        return positions[0], ended.reshape(rew.shape), positions[1], positions[2]

    def _fit_returns(self, columns: int) -> None:
        """Set all returns to zero if rows have another number of rewards than before."""
        if columns != self.counters.episode_return.shape[1]:
            self.counters = self.counters._replace(episode_return=np.zeros((len(self), columns)))

    def cut(self) -> NDArray[np.int64]:
        """End the unfinished episodes at their newest places, and return those."""
        places = self.unfinished()
        self.counters.ends[places] = True
        self.counters.episode_length[:] = 0
        self.counters.episode_return[:] = 0.0
        return places

    # --- reading ------------------------------------------------------------------------------------------------

    def prev(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places one step earlier in their episodes (unchanged at the first step)."""
        counters = self.counters
        return ring.prev(places, self.edges, counters.fill, counters.newest, counters.ends)

    def next(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places one step later in their episodes (unchanged at the last step and at the newest entry)."""
        counters = self.counters
        return ring.next(places, self.edges, counters.fill, counters.newest, counters.ends)

    def unfinished(self) -> NDArray[np.int64]:
        """Return the newest place of each ring with an unfinished episode."""
        newest = self.counters.newest
        return newest[(self.counters.fill > 0) & ~self.counters.ends[newest]]

    def in_time_order(self, rings: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return all places in use of these rings (all of them by default), ring by ring, oldest first."""
        numbers = self.numbers if rings is None else rings
        return ring.in_time_order(numbers, self.edges, self.counters.cursor, self.counters.fill)

    def drawn(self, chance: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return a place in use, uniformly, for each number in [0, 1); none if no place is in use."""
        return ring.drawn(chance, self.edges, self.counters.fill)

    def places(self, index: Index) -> NDArray[np.int64]:
        """Return an index as places; a slice counts those in use, and `[:]` is all of them in order of time."""
        if isinstance(index, slice):
            used = int(self.counters.fill.sum())
            return self.in_time_order() if index == slice(None) else np.arange(self.capacity)[:used][index]
        return ring.as_places(index, self.capacity)

    # --- parts --------------------------------------------------------------------------------------------------

    def part(self, k: int) -> "Rings":
        """Return ring k alone, as a view, but for the places in it, which are counted from its own first one."""
        start, stop = int(self.edges[k]), int(self.edges[k + 1])
        part, counters = Rings([stop - start]), self.counters
        part.counters = ring.Counters(
            edges=part.edges,
            ends=counters.ends[start:stop],
            cursor=counters.cursor[[k]],
            fill=counters.fill[[k]],
            newest=counters.newest[[k]] - start,
            episode_length=counters.episode_length[[k]],
            episode_start=counters.episode_start[[k]] - start,
            episode_return=counters.episode_return[[k]],
        )
        return part

    def take_over(self, k: int, other: "Rings") -> None:
        """Copy another's only ring to ring k, which is as long."""
        start, stop = int(self.edges[k]), int(self.edges[k + 1])
        given = other.counters
        self._fit_returns(given.episode_return.shape[1])
        own = self.counters
        own.ends[start:stop] = given.ends
        own.cursor[k], own.fill[k] = given.cursor[0], given.fill[0]
        own.newest[k], own.episode_start[k] = start + given.newest[0], start + given.episode_start[0]
        own.episode_length[k], own.episode_return[k] = given.episode_length[0], given.episode_return[0]

    # --- keeping ------------------------------------------------------------------------------------------------

    def state_dict(self) -> Batch:
        """Return all counters as arrays."""
        counters = self.counters
        arrays = Batch(cursor=counters.cursor, fill=counters.fill, newest=counters.newest, done=counters.ends)
        arrays.update(ret=counters.episode_return, length=counters.episode_length, start=counters.episode_start)
        return arrays

    def load_state_dict(self, arrays: Batch) -> None:
        """Load what `state_dict` returned, which must be sound: see `arena.data.buffer.soundness`."""
        names = ("done", "cursor", "fill", "newest", "length", "start", "ret")
        self.counters = ring.Counters(self.edges, *(np.ascontiguousarray(arrays[name]) for name in names))


def _no_rows(edges: NDArray[np.int64], ends: NDArray[np.bool_]) -> ring.Counters:
    """Return the counters of rings without rows; `ends` [number of places] is read at places in use alone."""
    count = len(edges) - 1
    return ring.Counters(
        edges=edges,
        ends=ends,
        cursor=np.zeros(count, np.int64),
        fill=np.zeros(count, np.int64),
        newest=edges[:-1].copy(),
        episode_length=np.zeros(count, np.int64),
        episode_start=edges[:-1].copy(),
        episode_return=np.zeros((count, 1)),
    )
