"""Environments side by side: of any game, or copies of one of Gymnasium's."""

from collections.abc import Callable
from typing import Any, TypeGuard

import gymnasium as gym

from arena.env.base import DummyVectorEnv
from arena.env.games import VectorGames
from arena.env.hosted.game import HostedGame
from arena.env.hosted.vector import HostedVectorEnv
from arena.env.native import GameVectorEnv
from games.engine.game import Game

Task = Game | Callable[[], gym.Env[Any, Any]]
"""A game, or a function that makes an environment."""


def is_compiled(task: Task) -> TypeGuard[Game]:
    """Return whether a task is a game whose rules are compiled here, and not hosted ones."""
    return isinstance(task, Game) and not isinstance(task, HostedGame)


def has_equal_seats(task: Task) -> TypeGuard[Game]:
    """Return whether a task is a game whose seats see arrays of one shape and have the same numbered actions."""
    return isinstance(task, Game) and not task.groups and task.action_box is None


def vector_games(game: Game, num_envs: int, openings: int = 0) -> VectorGames:
    """Return `num_envs` games side by side, each beginning with up to `openings` random moves."""
    if isinstance(game, HostedGame):
        return HostedVectorEnv(game, num_envs, openings)
    return GameVectorEnv(game, num_envs, openings=openings)


def side_by_side(task: Task, num_envs: int, openings: int = 0) -> VectorGames | DummyVectorEnv:
    """Return `num_envs` environments of a task; games begin with up to `openings` random moves."""
    return vector_games(task, num_envs, openings) if isinstance(task, Game) else DummyVectorEnv([task] * num_envs)
