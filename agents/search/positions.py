"""What every searching agent asks of a game, and of the batch that it is given."""

from typing import Any

from numpy.typing import NDArray

from arena.data.batch import Batch
from arena.errors import UsageError
from games.engine.game import Game


def require_searchable(game: Game, agent: str, chance: bool = False) -> None:
    """`UsageError` unless the game has two players, hides nothing, knows no (or, if allowed) `chance`, is zero-sum."""
    if game.num_players != 2:
        raise UsageError(f"{agent} plays games of two players; {game.name} has {game.num_players}")
    if not game.perfect_information:
        raise UsageError(f"{agent} plays games of perfect information; {game.name} hides something from its players")
    if game.has_chance and not chance:
        raise UsageError(f"{agent} plays games without chance, which moves in {game.name}")
    if not game.zero_sum:
        raise UsageError(f"{agent} plays zero-sum games; {game.name} is not one")


def require_visible(game: Game, agent: str) -> None:
    """`UsageError` if the game hides something; choices made at the same time are hidden too."""
    if not game.perfect_information:
        hides = "all choose at once" if game.simultaneous else "something is hidden"
        raise UsageError(f"{agent} plays games of perfect information; in {game.name} {hides}: take ismcts")


def require_hidden(game: Game, agent: str) -> None:
    """`UsageError` if nothing is hidden: there are better searches then."""
    if game.perfect_information:
        raise UsageError(f"{agent} plays games that hide something; {game.name} shows all: take mcts or alphabeta")


def require_guidable(game: Game) -> None:
    """`UsageError` unless a value of the seat to move tells that of the other, and nothing is hidden."""
    if game.num_players != 2 or not game.zero_sum or not game.perfect_information:
        raise UsageError(
            f"a network guides the search of games of two players and zero sum in which nothing is hidden; "
            f"{game.label} is not one"
        )


def positions(batch: Batch, game: Game, agent: str) -> NDArray[Any]:
    """The state records [n] of a batch; `UsageError` if it has none, or those of another game or board."""
    if "state" not in batch.obs:
        raise UsageError(f"{agent} needs batch.obs.state, the positions (records [n] of {game.name})")
    states: NDArray[Any] = batch.obs.state
    if states.dtype != game.state_dtype:
        raise UsageError(f"{agent} was made for {game.label}; the positions it was given are of another game or size")
    return states
