"""Agents of the zoo: `champion`, `level:N` and `zoo:NAME`."""

from contextlib import suppress

from arena.base.errors import UsageError
from arena.policy.protocol import Policy
from arena.policy.registry import make_agent
from arena.policy.snapshots import read_config
from arena.policy.zoo.card import FIRST_LEVEL, NUM_LEVELS
from arena.policy.zoo.entries import card_of, find_entry, fits
from games.engine.game import Game


def champion_of(game: Game) -> str:
    """Return the spec of the best agent for a game; `UsageError` if none is known."""
    card = card_of(game)
    if fits(card, game):
        return card.champion
    if not card.otherwise:
        raise UsageError(f"the champion of {game.name} plays {card.game} only, not {game.spec}")
    return card.otherwise


def level_of(game: Game, level: int) -> str:
    """Return the spec of a level of a game; `UsageError` for a level or a game that has none."""
    card = card_of(game)
    if not fits(card, game):
        raise UsageError(f"levels of {game.name} were measured for {card.game}, not for {game.spec}; name an agent")
    if not card.levels:
        raise UsageError(f"{game.name} has no levels: {card.why}")
    if not 1 <= level <= NUM_LEVELS:
        raise UsageError(f"level:{level}: levels go from 1 to {NUM_LEVELS}")
    return card.levels[level - 1].agent


def first_opponent(game: Game) -> str:
    """Return the spec of whom a person meets first: a level, the champion where there are none; "" without either."""
    with suppress(UsageError):
        level_of(game, 1)
        return FIRST_LEVEL
    with suppress(UsageError):
        champion_of(game)
        return "champion"
    return ""


def make_champion(game: Game, argument: str) -> Policy:
    """Make the best agent for a game; it takes no argument."""
    if argument:
        raise UsageError(f"'champion' takes no argument, not {argument!r}")
    return make_agent(champion_of(game), game)


def make_level(game: Game, argument: str) -> Policy:
    """Make a calibrated opponent; the argument is its level, from 1 to `NUM_LEVELS`."""
    if not (argument.isascii() and argument.isdecimal() and len(argument) < 5):
        raise UsageError(f"level:{argument}: give a level from 1 to {NUM_LEVELS}, as in {FIRST_LEVEL}")
    return make_agent(level_of(game, int(argument)), game)


def make_zoo(game: Game, argument: str) -> Policy:
    """Make a trained agent of the zoo from `NAME`, or from `NAME:SIMULATIONS` or `NAME:TIME` a search guided by it.

    Raises `UsageError` for an entry that is unknown or has no weights, and `CheckpointError` for one of another game or
    with damaged files.
    """
    name, _, budget = argument.partition(":")
    entry = find_entry(name)
    if not entry.trained:
        raise UsageError(f"zoo:{name} has no weights; its champion is {entry.card.champion}")
    algorithm = str(read_config(entry.folder)["algorithm"])
    return make_agent(f"puct:{entry.folder}:{budget}" if budget else f"{algorithm}:{entry.folder}", game)
