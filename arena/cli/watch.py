"""`arena watch`: agents play each other on the screen."""

from dataclasses import dataclass
from typing import Annotated

import tyro

from arena.errors import UsageError
from arena.registry import make_agent, make_game


@dataclass(frozen=True)
class Options:
    """Watch agents play each other in the terminal; they change seats from game to game.

    For example: arena watch connect_four alphabeta:4 one-ply
    """

    game: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="GAME")]
    """What they play, as `arena games` lists it; options follow a colon: tic_tac_toe:m=6,n=6,k=4"""
    agents: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="AGENT AGENT ...")]
    """Who plays, one a seat, as `arena agents` lists them."""
    games: int = 10
    """Games in the series."""
    seed: int = 0
    """The same seed gives the same games."""
    speed: float = 1.0
    """Moves a second."""


def run(options: Options) -> int:
    """Show the series; returns the exit status. `UsageError` before the terminal is touched."""
    game = make_game(options.game)
    seats, named = game.num_players, len(options.agents)
    if named != seats:
        raise UsageError(f"{game.name} has {seats} seats; name {seats} agents, not {named}")
    if options.games < 1:
        raise UsageError(f"--games {options.games} is not at least 1")
    if options.seed < 0:
        raise UsageError(f"--seed {options.seed} is negative")
    if not options.speed > 0:
        raise UsageError(f"--speed {options.speed} is not above 0")
    agents = [(spec, make_agent(spec, game)) for spec in options.agents]

    from arena.tui.app import launch
    from arena.tui.screens.watch import WatchScreen

    return launch(WatchScreen(game, agents, options.games, options.seed, options.speed))
