"""Buffers of several parts: each part is the ring of one stream of transitions, all in one block of memory."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.data.buffer.bits import unpacked
from arena.data.buffer.options import BufferOptions
from arena.data.buffer.rings import Added
from arena.data.rows import require_fit, write_rows


class ReplayBufferManager(ReplayBuffer):
    """Several buffers as one: places are numbered through all of them, and arrays lie in one block of memory.

    The contents of the buffers are copied. The buffers then become read-only views of their parts.

    Args:
        buffer_list: the buffers, with the same options throughout. Their sizes may differ.

    """

    def __init__(self, buffer_list: Sequence[ReplayBuffer]):
        self._set_up([buffer.maxsize for buffer in buffer_list], common_options(buffer_list, BufferOptions))
        self._take_over(buffer_list)

    PART: ClassVar[type[ReplayBuffer]] = ReplayBuffer
    """Class of each part."""
    _given: Sequence[ReplayBuffer] = ()
    """Buffers that have become the first parts."""

    def _take_over(self, buffer_list: Sequence[ReplayBuffer]) -> None:
        """Copy the contents of several buffers into the parts, and turn the buffers into views of these."""
        for k, buffer in enumerate(buffer_list):
            if buffer._storage.is_empty():
                continue
            rows, self._bits = self._as_stored(unpacked(buffer._storage, buffer._bits))
            self._fit_infos(rows)
            require_fit(self._storage, rows, buffer.maxsize)
            start = int(self.rings.edges[k])
            write_rows(self._storage, rows, np.arange(start, start + buffer.maxsize), self.maxsize)
            self.rings.take_over(k, buffer.rings)
        for k, buffer in enumerate(buffer_list):
            buffer._become_part(self, k)
        self._given = tuple(buffer_list)

    @property
    def buffers(self) -> list[ReplayBuffer]:
        """Read-only views of the parts."""
        return [*self._given, *(self._part(k) for k in range(len(self._given), len(self.rings)))]

    def _part(self, k: int) -> ReplayBuffer:
        part = self.PART.__new__(self.PART)
        part._set_up([int(self.rings.edges[k + 1] - self.rings.edges[k])], self._options, self.rng)
        part._become_part(self, k)
        return part

    def add(
        self, batch: Batch | Mapping[str, Any], buffer_ids: Sequence[int] | NDArray[np.integer[Any]] | None = None
    ) -> Added:
        """Store row i of `batch` into sub-buffer `buffer_ids[i]` (by default one row for every sub-buffer)."""
        return super().add(batch, self.rings.numbers if buffer_ids is None else buffer_ids)

    def update(self, buffer: ReplayBuffer) -> NDArray[np.int64]:
        """Raise `NotImplementedError`: which sub-buffer a transition would belong to is unknown."""
        raise NotImplementedError("a buffer of several parts cannot take in another buffer")


class VectorReplayBuffer(ReplayBufferManager):
    """A buffer of `buffer_num` equal parts, each the ring of one stream of transitions.

    Args:
        total_size: capacity over all parts, rounded up to a multiple of `buffer_num`.
        buffer_num: number of parts; the other options are those of `ReplayBuffer`.

    """

    def __init__(
        self,
        total_size: int,
        buffer_num: int,
        stack_num: int = 1,
        ignore_obs_next: bool = False,
        save_only_last_obs: bool = False,
        sample_avail: bool = False,
        pack_bits: bool = False,
    ):
        options = BufferOptions(stack_num, ignore_obs_next, save_only_last_obs, sample_avail, pack_bits)
        self._set_up(equal_parts(total_size, buffer_num), options)


def equal_parts(total_size: int, buffer_num: int) -> list[int]:
    """Return the sizes of `buffer_num` equal parts with at least `total_size` places in total."""
    if total_size < 1 or buffer_num < 1:
        raise UsageError(f"total_size={total_size} and buffer_num={buffer_num} have to be at least 1")
    return [-(-total_size // buffer_num)] * buffer_num


def common_options(buffer_list: Sequence[ReplayBuffer], kind: type[BufferOptions]) -> BufferOptions:
    """Return the common options, of the given kind, of buffers of one part each; raise `UsageError` if they differ."""
    if not buffer_list:
        raise UsageError("buffer_list is empty: a manager needs at least one buffer")
    first = buffer_list[0]._options
    for i, buffer in enumerate(buffer_list):
        if buffer._whole is not None or any(buffer is other for other in buffer_list[:i]):
            raise UsageError(f"buffer_list[{i}] is a part of a buffer already")
        if len(buffer.rings) != 1:
            raise UsageError(f"buffer_list[{i}] is a {type(buffer).__name__}, which has parts of its own")
        if buffer._options != first:
            raise UsageError(f"buffer_list[{i}] has {buffer._options}, the first one has {first}")
    if type(first) is not kind:
        raise UsageError(f"buffer_list holds {type(buffer_list[0]).__name__}s, which this manager does not prioritise")
    return first
