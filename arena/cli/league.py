"""`arena league`: what has become of the league of a training."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from arena.league.picture import save_pictures
from arena.league.records import read_league
from arena.league.report import as_dict, print_league


@dataclass(frozen=True)
class Options:
    """Show a league: its ladder, who beats whom, who came from whom, and whom its learners meet next.

    Ratings are from games of their own, not from training. A training may go on beside it.

    For example:

    arena league runs/connect_four-ppo

    arena league runs/connect_four-ppo --png pictures

    arena league runs/connect_four-ppo --json
    """

    run: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="RUN")]
    """The folder of a training by self-play."""
    json: bool = False
    """Print JSON instead of tables."""
    png: Annotated[Path | None, tyro.conf.arg(metavar="DIR", help_behavior_hint="")] = None
    """Write pictures there as well: a heat map of the payoffs, and the ratings over time."""


def run(options: Options) -> int:
    """Print the league, and draw it if asked."""
    league = read_league(options.run)
    pictures = save_pictures(league, str(options.run), options.png) if options.png else ()
    if options.json:
        print(json.dumps(as_dict(league), indent=2))
        return 0
    console = Console()
    print_league(league, str(options.run), console if console.is_terminal else Console(width=160))
    for picture in pictures:
        print(f"picture: {picture}")
    return 0
