"""`arena` alone: the home screen."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.screen import Screen

STORE = "runs/arena.db"  # arena.store's default; importing that here would make the first picture wait


@dataclass(frozen=True)
class Options:
    """Games, agents, trainings, the ladder and the newest matches in one place, and the way to everything else."""

    runs: Path = Path("runs")
    """Folder of the runs."""
    store: str = STORE
    """Where the matches are: the path of an SQLite file, or the URL of another database."""


@contextmanager
def screen(options: Options) -> Iterator["Screen[Any]"]:
    """The home screen."""
    from arena.tui.screens.home import HomeScreen

    yield HomeScreen(options.runs, options.store)


def run(options: Options) -> int:
    """Show it; returns the exit status."""
    from arena.cli.opening import show

    return show(screen(options))
