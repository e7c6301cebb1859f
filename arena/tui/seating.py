"""Agents for screens: in processes of their own, so that whatever they do, the screen stays alive."""

from arena.match.contained import ContainedPolicy
from arena.match.limits import Limits
from arena.registry import make_agent
from games.engine.game import Game


def seated(spec: str, game: Game, limits: Limits | None = None) -> ContainedPolicy:
    """The agent of a spec, which tells its thoughts; `UsageError` if there is no such agent for the game.

    Its process starts with its first game: the board need not wait for it.
    """
    make_agent(spec, game).close()
    return ContainedPolicy(spec, game, limits or Limits(), tells=True, later=True)
