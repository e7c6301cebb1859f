"""Environments: native batches of games, vector environments over workers, and adapters."""

from arena.env.base import BaseVectorEnv, DummyVectorEnv
from arena.env.gym_vector import GymVectorEnv
from arena.env.native import GameVectorEnv
from arena.env.parallel_env import ParallelEnv
from arena.env.pettingzoo import ParallelPettingZooEnv, PettingZooEnv
from arena.env.vector import RayVectorEnv, ShmemVectorEnv, SubprocVectorEnv
from arena.env.workers.errors import WorkerError

__all__ = [
    "BaseVectorEnv",
    "DummyVectorEnv",
    "GameVectorEnv",
    "GymVectorEnv",
    "ParallelEnv",
    "ParallelPettingZooEnv",
    "PettingZooEnv",
    "RayVectorEnv",
    "ShmemVectorEnv",
    "SubprocVectorEnv",
    "WorkerError",
]
