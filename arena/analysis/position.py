"""What an agent thinks of any position of a game."""

from collections.abc import Sequence

from arena.match.ask import Answer
from arena.match.match import Match
from arena.policy.protocol import Policy
from games.engine.game import Game


def analyse_position(game: Game, moves: Sequence[int], agent: Policy, seed: int = 0) -> Answer:
    """What `agent` answers after `moves`, for the seat to move: its action and what it tells of it, or how it failed.

    `seed` is that of the match, which fixes what chance did. Raises `UsageError` if the moves cannot be played, or if
    the game is over after them.
    """
    match = Match(game, [(name, None) for name in game.agents], seed, tuple(moves))
    return match.consult(agent)
