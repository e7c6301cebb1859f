"""Observations through shared memory: one process writes the arrays in place, the other copies them out.

The memory is laid out after the first observation: nested dictionaries and tuples of numbers and arrays. The writer
makes it; the reader takes its name away as soon as it has it, so that nothing stays behind however either process ends.
"""

from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.shared_memory import SharedMemory
from typing import Any

import numpy as np
from numpy.typing import NDArray

ALIGNMENT = 64  # bytes; every array begins on a cache line

Views = dict[str, Any] | tuple[Any, ...] | NDArray[Any]
"""Arrays in shared memory, nested as the observation is."""


@dataclass(frozen=True)
class Leaf:
    """Place of an array in shared memory: `offset` in bytes."""

    shape: tuple[int, ...]
    dtype: str
    offset: int


Layout = dict[str, Any] | tuple[Any, ...] | Leaf
"""Leaves, nested as the observation is."""


@dataclass(frozen=True)
class Moved:
    """Placeholder for an observation in shared memory; the first one carries the layout."""

    name: str | None = None
    layout: Layout | None = None


MOVED = Moved()
"""One shared instance, which pickle writes once per message."""


class ObservationWriter:
    """Writes observations with the layout of the first into shared memory."""

    def __init__(self) -> None:
        self._memory: SharedMemory | None = None
        self._views: Views | None = None

    def put(self, obs: Any) -> Any:
        """Write an observation and return a `Moved`; return the observation itself if it does not fit."""
        if self._views is not None:
            return MOVED if _write(self._views, obs) else obs
        layout, size = _lay_out(obs, 0)
        if layout is None or size == 0:
            return obs
        self._memory = SharedMemory(create=True, size=size)
        self._views = _views(layout, self._memory)
        _write(self._views, obs)
        return Moved(self._memory.name, layout)

    def close(self) -> None:
        """Release the memory."""
        self._views = None  # before the memory: arrays over it would keep it open
        if self._memory is not None:
            self._memory.close()
            with suppress(FileNotFoundError):  # the reader took the name, unless it never saw the first observation
                self._memory.unlink()


class ObservationReader:
    """Copies observations that an `ObservationWriter` wrote."""

    def __init__(self) -> None:
        self._memory: SharedMemory | None = None
        self._views: Views = ()

    def fetch(self, answer: Any) -> Any:
        """Return an answer with its leading `Moved` replaced by the observation; other answers unchanged."""
        if not isinstance(answer, tuple) or not answer or not isinstance(answer[0], Moved):
            return answer
        moved = answer[0]
        if moved.name is not None and moved.layout is not None:
            self._memory = SharedMemory(moved.name)
            self._memory.unlink()  # both sides have it open: from here on it goes with them
            self._views = _views(moved.layout, self._memory)
        return (_copy(self._views), *answer[1:])

    def close(self) -> None:
        """Release the memory; idempotent."""
        self._views = ()
        if self._memory is not None:
            self._memory.close()


def _lay_out(obs: Any, offset: int) -> tuple[Layout | None, int]:
    """Return the layout of an observation from `offset` on, and its end; None if it is not purely numeric."""
    if isinstance(obs, dict | tuple):
        parts: list[Layout] = []
        for value in obs.values() if isinstance(obs, dict) else obs:
            part, offset = _lay_out(value, offset)
            if part is None:
                return None, offset
            parts.append(part)
        return (dict(zip(obs, parts, strict=True)) if isinstance(obs, dict) else tuple(parts)), offset
    if not isinstance(obs, np.ndarray | np.generic | int | float | complex):
        return None, offset
    array = np.asarray(obs)
    if array.dtype.kind not in "biufc":
        return None, offset
    return Leaf(array.shape, array.dtype.str, offset), offset + -(-array.nbytes // ALIGNMENT) * ALIGNMENT


def _views(layout: Layout, memory: SharedMemory) -> Views:
    if isinstance(layout, dict):
        return {key: _views(part, memory) for key, part in layout.items()}
    if isinstance(layout, tuple):
        return tuple(_views(part, memory) for part in layout)
    return np.ndarray(layout.shape, layout.dtype, memory.buf, layout.offset)


def _write(views: Views, obs: Any) -> bool:
    """Write an observation; return False if its layout differs."""
    if isinstance(views, dict):
        return isinstance(obs, dict) and obs.keys() == views.keys() and all(_write(v, obs[k]) for k, v in views.items())
    if isinstance(views, tuple):
        same = isinstance(obs, tuple) and len(obs) == len(views)
        return same and all(_write(view, part) for view, part in zip(views, obs, strict=True))
    if not isinstance(obs, np.ndarray | np.generic | int | float | complex):
        return False
    array = np.asarray(obs)
    if array.shape != views.shape or array.dtype != views.dtype:
        return False
    views[...] = array
    return True


def _copy(views: Views) -> Any:
    if isinstance(views, dict):
        return {key: _copy(view) for key, view in views.items()}
    if isinstance(views, tuple):
        return tuple(_copy(view) for view in views)
    return views.copy()[()] if views.ndim == 0 else views.copy()
