"""The vector environment of any game."""

from arena.env.games import VectorGames
from arena.env.hosted.game import HostedGame
from arena.env.hosted.vector import HostedVectorEnv
from arena.env.native import GameVectorEnv
from games.engine.game import Game


def vector_games(game: Game, num_envs: int, openings: int = 0) -> VectorGames:
    """Return `num_envs` games side by side, each beginning with up to `openings` random moves."""
    if isinstance(game, HostedGame):
        return HostedVectorEnv(game, num_envs, openings)
    return GameVectorEnv(game, num_envs, openings=openings)
