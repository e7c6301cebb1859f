"""Checks of games and batches that all searching agents share."""

from typing import Any

from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.data.batch import Batch
from games.engine.compiled import CompiledGame
from games.engine.game import Game

MOST_ACTIONS = 2**15 - 1
"""Largest number of actions that the nodes of search trees can number."""


def require_searchable(game: Game, agent: str, chance: bool = False) -> None:
    """Raise `UsageError` unless a game is a two-player zero-sum game of perfect information.

    Chance is refused as well unless `chance` is set.
    """
    if game.num_players != 2:
        raise UsageError(f"{agent} plays games of two players; {game.name} has {game.num_players}")
    if not game.perfect_information:
        raise UsageError(f"{agent} plays games of perfect information; {game.name} has hidden information")
    if game.has_chance and not chance:
        raise UsageError(f"{agent} plays games without chance; {game.name} has chance events")
    if not game.zero_sum:
        raise UsageError(f"{agent} plays zero-sum games; {game.name} is not one")


def require_visible(game: Game, agent: str) -> None:
    """Raise `UsageError` if a game has hidden information or simultaneous moves."""
    if not game.perfect_information:
        reason = "simultaneous moves" if game.simultaneous else "hidden information"
        raise UsageError(f"{agent} plays games of perfect information; {game.name} has {reason}: use ismcts")


def require_hidden(game: Game, agent: str) -> None:
    """Raise `UsageError` if a game has perfect information, for which better searches exist."""
    if game.perfect_information:
        raise UsageError(
            f"{agent} plays games with hidden information or simultaneous moves; {game.name} has neither: "
            "use mcts or alphabeta"
        )


def require_guidable(game: Game, agent: str) -> None:
    """Raise `UsageError` unless a search guided by a network can play a game."""
    if not game.perfect_information:
        secret = "seats decide at the same time" if game.simultaneous else "it hides something"
        raise UsageError(
            f"{agent} plays games of perfect information; {game.label} is not one: {secret}; ppo learns there, ismcts "
            "searches"
        )
    if game.num_players < 2 or (game.num_players == 2 and not game.zero_sum):
        raise UsageError(
            f"{agent} plays zero-sum games of two players, and games of more; {game.label} is neither: ppo learns there"
        )
    if not isinstance(game, CompiledGame):
        require_copied(game, agent)


def require_copied(game: Game, agent: str) -> None:
    """Raise `UsageError` unless positions of a game that is not compiled can be copied, with nothing left to chance."""
    if game.has_chance:
        raise UsageError(
            f"{agent} plays games with chance where their rules are compiled; {game.label} has chance events, and is "
            "played by copies: use mcts"
        )
    if game.num_actions > MOST_ACTIONS:
        raise UsageError(
            f"{agent} plays games of up to {MOST_ACTIONS:,} actions; {game.label} has {game.num_actions:,}"
        )
    game.playable(game.initial, 0)  # refuses a game whose positions cannot be copied


def positions(batch: Batch, game: Game, agent: str) -> NDArray[Any]:
    """Return the state records [n] of a batch; raise `UsageError` if they are missing or of another game or board."""
    if "state" not in batch.obs:
        raise UsageError(f"{agent} needs batch.obs.state, the positions (records [n] of {game.name})")
    states: NDArray[Any] = batch.obs.state
    if states.dtype != game.state_dtype:
        raise UsageError(f"{agent} was made for {game.label}; the positions it was given are of another game or size")
    return states
