"""`arena league`: what has become of the league of a training."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro
from rich.console import Console

from arena.league.picture import save_pictures
from arena.league.records import read_league
from arena.league.report import as_dict, print_league

if TYPE_CHECKING:
    from textual.screen import Screen


@dataclass(frozen=True)
class Options:
    """Show a league: its ladder, who beats whom, who came from whom, and whom its learners meet next.

    Ratings are from games of their own, not from training. A training may go on beside it.
    """

    run: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="RUN")]
    """The folder of a training by self-play."""
    json: bool = False
    """Print JSON instead of tables."""
    png: Annotated[Path | None, tyro.conf.arg(metavar="DIR", help_behavior_hint="")] = None
    """Write pictures there as well: a heat map of the payoffs, and the ratings over time."""
    ui: bool = False
    """Show it on a screen, which follows a training that goes on; pick two and watch them."""


@contextmanager
def screen(options: Options) -> Iterator["Screen[Any]"]:
    """The screen of a league; `CheckpointError` if there is none."""
    from arena.tui.screens.league import LeagueScreen

    read_league(options.run)
    yield LeagueScreen(options.run)


def run(options: Options) -> int:
    """Print the league, and draw it if asked; or show it."""
    if options.ui:
        from arena.cli.opening import show

        return show(screen(options))
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
