"""`arena play`: a person against an agent on the screen."""

from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

import tyro

from arena.errors import UsageError
from arena.registry import make_agent, make_game


@dataclass(frozen=True)
class Options:
    """Play against an agent in the terminal, by keys, mouse or typed moves.

    For example:

    arena play connect_four alphabeta:4

    arena play tic_tac_toe random --seat 2
    """

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")]
    """What is played; options follow the name, tic_tac_toe:m=6,n=6,k=4."""
    agent: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="AGENT")]
    """Who holds the other seats: random, one-ply, alphabeta:4, ppo:runs/c4."""
    seat: int = 1
    """Your seat in the first game; 1 moves first."""
    seed: int = 0
    """The same seed and the same moves give the same games."""


def run(options: Options) -> int:
    """Show the games; returns the exit status. `UsageError` before the terminal is touched."""
    game = make_game(options.game)
    if not 1 <= options.seat <= game.num_players:
        raise UsageError(f"--seat {options.seat} is not a seat of {game.name}; seats are 1 to {game.num_players}")
    if options.seed < 0:
        raise UsageError(f"--seed {options.seed} is below 0")
    agent = make_agent(options.agent, game)

    from arena.tui.app import launch
    from arena.tui.screens.play import PlayScreen

    with closing(agent):
        return launch(PlayScreen(game, (options.agent, agent), options.seat - 1, options.seed))
