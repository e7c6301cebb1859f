"""Data core: batches, replay buffers and statistics. Imports no torch."""

from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.data.buffer.cached import CachedReplayBuffer
from arena.data.buffer.loading import load_buffer
from arena.data.buffer.manager import ReplayBufferManager, VectorReplayBuffer
from arena.data.buffer.prioritized import (
    PrioritizedReplayBuffer,
    PrioritizedReplayBufferManager,
    PrioritizedVectorReplayBuffer,
)
from arena.data.segment_tree import SegmentTree

__all__ = [
    "Batch",
    "CachedReplayBuffer",
    "PrioritizedReplayBuffer",
    "PrioritizedReplayBufferManager",
    "PrioritizedVectorReplayBuffer",
    "ReplayBuffer",
    "ReplayBufferManager",
    "SegmentTree",
    "VectorReplayBuffer",
    "load_buffer",
]
