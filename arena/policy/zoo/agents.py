"""Agents of the zoo: `champion`, `level:N` and `zoo:NAME`."""

from arena.base.errors import UsageError
from arena.policy.protocol import Policy
from arena.policy.registry import make_agent
from arena.policy.snapshots import read_config
from arena.policy.zoo.card import FIRST_LEVEL, NUM_LEVELS
from arena.policy.zoo.entries import find_entry
from arena.policy.zoo.opponents import champion_of, level_of
from games.engine.game import Game

SEARCHES = {"td": "expectimax"}
"""The agents that search by a network of an algorithm, where it is not puct."""


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

    One of `alphazero` searches without a number as well, the simulations of its configuration.

    Raises `UsageError` for an entry that is unknown or has no weights, and `CheckpointError` for one of another game or
    with damaged files.
    """
    name, _, budget = argument.partition(":")
    entry = find_entry(name)
    if not entry.trained:
        raise UsageError(f"zoo:{name} has no weights; its champion is {entry.card.champion}")
    algorithm = str(read_config(entry.folder)["algorithm"])
    search = SEARCHES.get(algorithm, "puct")
    return make_agent(f"{search}:{entry.folder}:{budget}" if budget else f"{algorithm}:{entry.folder}", game)
