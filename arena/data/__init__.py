"""Data core: batches, replay buffers and statistics. Imports no torch."""

from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer, VectorReplayBuffer

__all__ = ["Batch", "ReplayBuffer", "VectorReplayBuffer"]
