"""`random`: any legal action, each with the same chance."""

from arena.errors import UsageError
from arena.policy.kinds import AgentKind
from arena.policy.random import RandomPolicy
from games.engine.game import Game


def make(game: Game, argument: str) -> RandomPolicy:
    """Seat a random agent; it takes no argument."""
    if argument:
        raise UsageError(f"'random' takes no argument, not {argument!r}")
    return RandomPolicy(seed=0)


AGENT = AgentKind(summary="any legal action with the same chance", make=make)
