"""Environments: native batches of games, vector environments over workers, and adapters."""

from arena.env.base import BaseVectorEnv, DummyVectorEnv
from arena.env.gym_vector import GymVectorEnv
from arena.env.hosted.pettingzoo import hosted
from arena.env.hosted.presentation import Grid, Presentation
from arena.env.make import vector_games
from arena.env.multi_agent import MultiAgentEnv
from arena.env.native import GameVectorEnv
from arena.env.parallel_env import ParallelEnv
from arena.env.pettingzoo import ParallelPettingZooEnv, PettingZooEnv
from arena.env.vector import ActorOptions, ProcessOptions, RayVectorEnv, ShmemVectorEnv, SubprocVectorEnv
from arena.env.workers.errors import WorkerError
from games.engine.trust import trust

VectorEnv = DummyVectorEnv
"""Tianshou's first name of `DummyVectorEnv`: environments stepped one after the other."""

__all__ = [
    "ActorOptions",
    "BaseVectorEnv",
    "DummyVectorEnv",
    "GameVectorEnv",
    "Grid",
    "GymVectorEnv",
    "MultiAgentEnv",
    "ParallelEnv",
    "ParallelPettingZooEnv",
    "PettingZooEnv",
    "Presentation",
    "ProcessOptions",
    "RayVectorEnv",
    "ShmemVectorEnv",
    "SubprocVectorEnv",
    "VectorEnv",
    "WorkerError",
    "hosted",
    "trust",
    "vector_games",
]
