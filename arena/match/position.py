"""An agent's answer in any position of a game."""

from collections.abc import Sequence

from arena.match.ask import Answer
from arena.match.match import Match
from arena.policy.protocol import Policy
from games.engine.actions import Action
from games.engine.game import Game


def analyse_position(game: Game, moves: Sequence[Action], agent: Policy, seed: int = 0) -> Answer:
    """Return the answer of `agent` for the seat to move after `moves`: its action and evaluation, or its failure.

    `seed` is that of the match and fixes chance. Raises `UsageError` if the moves cannot be played, or end the game.
    """
    match = Match(game, [(name, None) for name in game.agents], seed, tuple(moves))
    return match.consult(agent)
