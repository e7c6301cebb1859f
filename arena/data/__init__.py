"""Data core: batches, replay buffers and statistics. Imports no torch."""

from arena.data.batch import Batch

__all__ = ["Batch"]
