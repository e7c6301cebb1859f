"""Agents in processes of their own, so that no agent can block a screen."""

from arena.match.contained import ContainedPolicy
from arena.match.limits import Limits
from arena.policy.registry import make_agent
from games.engine.game import Game


def contained_agent(spec: str, game: Game, limits: Limits | None = None) -> ContainedPolicy:
    """Return the agent of a spec, which reports its thoughts; `UsageError` if there is no such agent for the game.

    Its process starts with the first game, so that the screen appears at once.
    """
    make_agent(spec, game).close()
    return ContainedPolicy(spec, game, limits or Limits(), tells=True, later=True)
