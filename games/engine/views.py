"""`env`, `raw_env` and `parallel_env` of a game's module, without importing PettingZoo before one is called."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from games.engine.game import Game
from games.engine.options import checked_options

if TYPE_CHECKING:
    from games.engine.pettingzoo import GameAECEnv, GameParallelEnv


def views(
    build: Callable[..., Game],
) -> tuple[Callable[..., "GameAECEnv"], Callable[..., "GameAECEnv"], Callable[..., "GameParallelEnv"]]:
    """Return the three PettingZoo constructors of the game that `build(**options)` describes.

    Each takes `render_mode` (None, "ansi", "human" or "rgb_array") and the game's options, which it checks as
    `games.make` does.
    """
    build = checked_options(build)

    def env(render_mode: str | None = None, **options: Any) -> "GameAECEnv":
        """AEC environment with PettingZoo's usual checks: an illegal move ends the game and costs its player 1."""
        from games.engine.pettingzoo import GameAECEnv

        return GameAECEnv(build(**options), render_mode, illegal_ends_game=True)

    def raw_env(render_mode: str | None = None, **options: Any) -> "GameAECEnv":
        """AEC environment that raises `IllegalActionError` on an illegal move and stays as it was."""
        from games.engine.pettingzoo import GameAECEnv

        return GameAECEnv(build(**options), render_mode, illegal_ends_game=False)

    def parallel_env(render_mode: str | None = None, **options: Any) -> "GameParallelEnv":
        """Parallel environment: all act; actions of agents that are not to move are ignored."""
        from games.engine.pettingzoo import GameParallelEnv

        return GameParallelEnv(build(**options), render_mode)

    for function in (env, raw_env, parallel_env):  # they belong to the game's module, where pickle looks for them
        function.__module__, function.__qualname__ = build.__module__, function.__name__
    return env, raw_env, parallel_env
