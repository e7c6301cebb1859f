"""Facts about a game, by its label, for lists of matches."""

from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from arena.base.errors import UsageError
from arena.policy.registry import make_game


@dataclass(frozen=True)
class GameFacts:
    """Facts of a game that is installed; those of any game where it is not."""

    of_team: bool = False
    """True if nobody wins: results are what the team earns, or who plays alone."""
    sides: tuple[str, ...] = ()
    """White or black for each seat, if the game is played with these."""


@cache
def facts_of(label: str) -> GameFacts:
    """Return the facts of the game of a label."""
    with suppress(UsageError):
        game = make_game(label)
        return GameFacts(not game.competitive, game.picture(game.initial).sides)
    return GameFacts()
