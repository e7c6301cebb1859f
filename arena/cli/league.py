"""`arena league`: the league of a training."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from arena.base.terminal import make_console
from arena.training.league.picture import save_pictures
from arena.training.league.records import read_league
from arena.training.league.report import as_dict, print_league

if TYPE_CHECKING:
    from textual.screen import Screen

    from arena.tui.state.intents import LeagueIntent


@dataclass(frozen=True)
class Options:
    """Show a league: its ladder, payoffs between players, lineage of members, and next opponents of the learners.

    Ratings are from evaluation games, not from training games. This can be used while the training goes on.
    """

    run: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="RUN")]
    """Folder of a self-play training."""
    json: bool = False
    """Print JSON instead of tables."""
    png: Annotated[Path | None, tyro.conf.arg(metavar="DIR", help_behavior_hint="")] = None
    """Folder for pictures: a heat map of the payoffs, and the ratings over time."""
    ui: bool = False
    """Show the league on a screen that follows the training, where two players can be picked and watched."""


def options_of(intent: "LeagueIntent") -> Options:
    """Return the options that another screen asks for."""
    return Options(Path(intent.folder), ui=True)


@contextmanager
def screen(options: Options) -> Iterator["Screen[Any]"]:
    """Yield the screen of a league; raise `CheckpointError` if there is none."""
    from arena.tui.screens.league import LeagueScreen

    read_league(options.run)
    yield LeagueScreen(options.run)


def run(options: Options) -> int:
    """Print the league and write its pictures, or show its screen; return the exit status."""
    if options.ui:
        from arena.cli.opening import show

        return show(screen(options))
    league = read_league(options.run)
    pictures = save_pictures(league, str(options.run), options.png) if options.png else ()
    if options.json:
        print(json.dumps(as_dict(league), indent=2))
        return 0
    console = make_console()
    print_league(league, str(options.run), console if console.is_terminal else make_console(width=160))
    for picture in pictures:
        print(f"picture: {picture}")
    return 0
