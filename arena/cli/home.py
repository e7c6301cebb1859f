"""`arena` without a command: the home screen."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.screen import Screen

STORE = "runs/arena.db"  # arena.store's default, not imported from there: that would delay the first screen


@dataclass(frozen=True)
class Options:
    """Show games, agents, trainings, the ladder and the newest matches, with keys to everything else."""

    runs: Path = Path("runs")
    """Folder of the runs."""
    store: str = STORE
    """Store of the matches: path of an SQLite file, or URL of another database."""


@contextmanager
def screen(options: Options) -> Iterator["Screen[Any]"]:
    """Yield the home screen."""
    from arena.tui.screens.home import HomeScreen

    yield HomeScreen(options.runs, options.store)


def run(options: Options) -> int:
    """Show the home screen; return the exit status."""
    from arena.cli.opening import show

    return show(screen(options))
