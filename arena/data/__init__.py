"""Data core: batches, replay buffers and statistics. Imports no torch."""

from typing import TYPE_CHECKING

from arena.base.doors import door
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
from arena.data.statistics import MovAvg, RunningMeanStd
from arena.data.stats import CollectStats, CollectStatsBase, SequenceSummaryStats

if not TYPE_CHECKING:
    __getattr__, __dir__ = door(__name__)

__all__ = [
    "Batch",
    "CachedReplayBuffer",
    "CollectStats",
    "CollectStatsBase",
    "MovAvg",
    "PrioritizedReplayBuffer",
    "PrioritizedReplayBufferManager",
    "PrioritizedVectorReplayBuffer",
    "ReplayBuffer",
    "ReplayBufferManager",
    "RunningMeanStd",
    "SegmentTree",
    "SequenceSummaryStats",
    "VectorReplayBuffer",
    "load_buffer",
]
