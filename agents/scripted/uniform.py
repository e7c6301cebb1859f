"""`random`: draws a legal action uniformly."""

from arena.base.errors import UsageError
from arena.policy.random import RandomPolicy
from arena.policy.registration import Spaces
from games.engine.game import Game


def make(game: Game, argument: str) -> RandomPolicy:
    """Make a random agent; it takes no argument."""
    if argument:
        raise UsageError(f"'random' takes no argument, not {argument!r}")
    return RandomPolicy(action_space=Spaces.of_game(game).action, seed=0)
