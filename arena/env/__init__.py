"""Environments: native batches of games, vector environments over workers, and adapters."""

from arena.env.base import BaseVectorEnv, DummyVectorEnv
from arena.env.native import GameVectorEnv
from arena.env.pettingzoo import ParallelPettingZooEnv, PettingZooEnv
from arena.env.vector import ShmemVectorEnv, SubprocVectorEnv
from arena.env.workers.errors import WorkerError

__all__ = [
    "BaseVectorEnv",
    "DummyVectorEnv",
    "GameVectorEnv",
    "ParallelPettingZooEnv",
    "PettingZooEnv",
    "ShmemVectorEnv",
    "SubprocVectorEnv",
    "WorkerError",
]
