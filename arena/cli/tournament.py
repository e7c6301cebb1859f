"""`arena tournament`: rate agents against each other."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from arena.registry import make_agent, make_game
from arena.tournament.files import claim_directory, numbered, write_results
from arena.tournament.progress import progress_bar
from arena.tournament.report import print_report
from arena.tournament.tournament import TournamentConfig, run_tournament, schedule


@dataclass(frozen=True)
class Options:
    """Let agents play each other, all against all, and rate them.

    Prints a table of Elo ratings; writes ratings and games as CSV and the cross table as a PNG.

    For example:

    arena tournament connect_four random one-ply alphabeta:4

    arena tournament tic_tac_toe:m=6,n=6,k=4 random alphabeta:2 --games 100

    arena tournament connect_four ppo:runs/c4 one-ply --games 400 --out results

    """

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")]
    """What is played; options follow the name, tic_tac_toe:m=6,n=6,k=4."""
    agents: Annotated[
        tyro.conf.Positional[tuple[str, ...]],
        tyro.conf.arg(metavar="AGENT [AGENT ...]", help_behavior_hint="(required)"),
    ]
    """Who plays, two or more: random, one-ply, alphabeta:4, ppo:runs/c4."""
    tournament: TournamentConfig = field(default_factory=TournamentConfig)
    out: Annotated[Path | None, tyro.conf.arg(metavar="DIR", help_behavior_hint="")] = None
    """Folder for the results, new or empty; by default runs/tournament-GAME with the first free number."""


def run(options: Options) -> int:
    """Play the tournament and report it."""
    game = make_game(options.game)
    schedule(game, options.agents, options.tournament)  # refuses what cannot be played before agents are loaded
    players = {spec: make_agent(spec, game) for spec in options.agents}
    directory = claim_directory(options.out or numbered(Path("runs", f"tournament-{game.name}")))
    try:
        with progress_bar(Console(stderr=True)) as progress:
            result = run_tournament(game, players, options.tournament, progress)
    except BaseException:
        directory.rmdir()  # nothing has been written: leave no empty folder behind
        raise
    write_results(result, directory)
    console = Console()
    print_report(result, console if console.is_terminal else Console(width=160))
    print(f"Results are in {directory}.")
    return 0
