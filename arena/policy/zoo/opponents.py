"""Specs of the opponents that the zoo knows for a game: its champion, its levels, and whom a person meets first."""

from contextlib import suppress
from typing import TYPE_CHECKING

from arena.base.errors import UsageError
from arena.policy.zoo.card import FIRST_LEVEL, NUM_LEVELS, Level, ZooCard
from arena.policy.zoo.entries import card_of, fits

if TYPE_CHECKING:
    from games.engine.game import Game


def champion_of(game: "Game") -> str:
    """Return the spec of the best agent for a game; `UsageError` if none is known."""
    card = card_of(game)
    if fits(card, game):
        return card.champion
    if not card.otherwise:
        raise UsageError(f"the champion of {game.name} plays {card.game} only, not {game.spec}")
    return card.otherwise


def levels_of(card: ZooCard, game: "Game") -> tuple[Level, ...]:
    """Return the levels for a game of the card's name; those of searches play with any options of it."""
    return card.levels if fits(card, game) or card.plays_any_options else ()


def level_of(game: "Game", level: int) -> str:
    """Return the spec of a level of a game; `UsageError` for a level or a game that has none."""
    card = card_of(game)
    if not card.levels:
        raise UsageError(f"{game.name} has no levels: {card.why}")
    if not (levels := levels_of(card, game)):
        raise UsageError(f"levels of {game.name} play {card.game} only, not {game.spec}; name an agent")
    if not 1 <= level <= NUM_LEVELS:
        raise UsageError(f"level:{level}: levels go from 1 to {NUM_LEVELS}")
    return levels[level - 1].agent


def first_opponent(game: "Game") -> str:
    """Return the spec of whom a person meets first; "" if there is nobody.

    That is a level, or the champion where there are none, and where it is no opponent but one's partner.
    """
    with suppress(UsageError):
        level_of(game, 1)
        if game.competitive:
            return FIRST_LEVEL
    with suppress(UsageError):
        champion_of(game)
        return "champion"
    return ""
