"""`CachedReplayBuffer`: episodes wait in a cache until they are over."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.data.buffer.manager import ReplayBufferManager, common_options
from arena.data.buffer.options import BufferOptions
from arena.data.buffer.rings import Added


class CachedReplayBuffer(ReplayBufferManager):
    """A main buffer of contiguous complete episodes, followed by caches for the unfinished ones.

    The memory is that of the main buffer, then that of each cache. An episode that ends moves from its cache to the
    main buffer. One that is longer than its cache or the main buffer leaves its newest transitions there. Samples come
    from main buffer and caches alike.

    Args:
        main_buffer: where ended episodes go; it becomes the first part of this buffer, and shows what is in it.
        cached_buffer_num: number of caches, each for one stream of transitions.
        max_episode_length: size of a cache.

    """

    def __init__(self, main_buffer: ReplayBuffer, cached_buffer_num: int, max_episode_length: int):
        if cached_buffer_num < 1 or max_episode_length < 1:
            raise UsageError(f"{cached_buffer_num=} and {max_episode_length=} have to be at least 1")
        options = common_options([main_buffer], BufferOptions)
        self._set_up([main_buffer.maxsize, *[max_episode_length] * cached_buffer_num], options)
        self._take_over([main_buffer])

    @property
    def cached_buffer_num(self) -> int:
        """Number of caches."""
        return len(self.rings) - 1

    @property
    def buffer_num(self) -> int:
        """Number of sub-buffers that transitions can be sent to: the caches."""
        return self.cached_buffer_num

    @property
    def main_buffer(self) -> ReplayBuffer:
        """The complete episodes, read-only."""
        return self.buffers[0]

    @property
    def cached_buffers(self) -> list[ReplayBuffer]:
        """The caches, read-only."""
        return self.buffers[1:]

    def add(
        self, batch: Batch | Mapping[str, Any], buffer_ids: Sequence[int] | NDArray[np.integer[Any]] | None = None
    ) -> Added:
        """Store row i of `batch` into cache number `buffer_ids[i]` (by default one row for every cache).

        Returns what `ReplayBuffer.add` does; where an episode ended, places are those in the main buffer: of its last
        transition and of the first one kept.
        """
        ids = self.rings.numbers[:-1] if buffer_ids is None else buffer_ids
        return super().add(batch, ids)

    def _append(self, rings: NDArray[np.int64], rows: Batch) -> Added:
        place, ended, length, start = super()._append(rings + 1, rows)
        for i in np.flatnonzero(rows.done):
            moved = self._move_to_main(rings[[i]] + 1)
            start[i], place[i] = moved[0], moved[-1]
        return place, ended, length, start

    def _move_to_main(self, cache: NDArray[np.int64]) -> NDArray[np.int64]:
        """Move the newest part that fits of the episode in a cache; return its places in the main buffer."""
        places = self.rings.in_time_order(cache)[-int(self.rings.edges[1]) :]
        moved, *_ = super()._append(np.zeros(len(places), np.int64), self._storage[places])
        self.rings.clear_ring(int(cache[0]))
        return moved
