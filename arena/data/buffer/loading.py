"""Loading a buffer of any class from a file."""

import os

from arena.base.errors import UsageError
from arena.data.buffer import hdf5
from arena.data.buffer.base import ReplayBuffer
from arena.data.buffer.cached import CachedReplayBuffer
from arena.data.buffer.manager import ReplayBufferManager, VectorReplayBuffer
from arena.data.buffer.prioritized import (
    PrioritizedReplayBuffer,
    PrioritizedReplayBufferManager,
    PrioritizedVectorReplayBuffer,
)

KINDS: tuple[type[ReplayBuffer], ...] = (
    ReplayBuffer,
    PrioritizedReplayBuffer,
    ReplayBufferManager,
    PrioritizedReplayBufferManager,
    VectorReplayBuffer,
    PrioritizedVectorReplayBuffer,
    CachedReplayBuffer,
)


def load_buffer(path: str | os.PathLike[str]) -> ReplayBuffer:
    """Load the buffer of any class that `save_hdf5` wrote to `path`; `UsageError` if it did not."""
    name = hdf5.kind_of(path)
    for kind in KINDS:
        if kind.__name__ == name:
            return kind.load_hdf5(path)
    raise UsageError(f"{path} holds a {name}; known are {', '.join(kind.__name__ for kind in KINDS)}")
