"""`arena runs`: the trainings that are here, and one of them as it goes on."""

import json
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from arena.errors import UsageError
from arena.runs.follow import FoundRun, find_runs, read_run
from arena.runs.live_files import requested
from arena.tui.jobs import as_name, start

if TYPE_CHECKING:
    from textual.screen import Screen


@dataclass(frozen=True)
class Options:
    """List the trainings that are here, those at work first; or follow one on a screen.

    A training is followed from any terminal, and from as many as you like. It goes on when the screen is left.
    """

    run: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="[RUN]", help_behavior_hint="")] = ""
    """The one to follow: its name in the list, or its folder."""
    control: bool = False
    """It may be paused and stopped from the screen, and snapshots kept; otherwise the screen only looks on."""
    runs: Path = Path("runs")
    """Folder of the runs."""
    json: bool = False
    """Print JSON instead of a table."""


@contextmanager
def screen(options: Options) -> Iterator["Screen[Any]"]:
    """The screen of one training; `UsageError` if there is none."""
    from arena.tui.screens.training import TrainingScreen

    yield TrainingScreen(_named(options).folder, options.control)


def run(options: Options) -> int:
    """List them, or show one."""
    if options.run and not options.json:
        from arena.cli.opening import show

        return show(screen(options))
    found = [_named(options)] if options.run else find_runs(options.runs)
    if options.json:
        print(json.dumps([_told(run) for run in found], indent=2))
    elif found:
        Console().print(_table(found))
    else:
        print(f"There is no training in {options.runs}; arena train begins one.")
    return 0


def begin(words: list[str], folder: Path) -> int:
    """Start `arena WORDS`, which trains in `folder`, in a process of its own, and follow it; the exit status.

    `UsageError` where there is no terminal; nothing is started then.
    """
    from arena.cli.opening import screen_of
    from arena.tui.app import launch, require_terminal
    from arena.tui.screens.training import TrainingScreen

    require_terminal()
    job = start(words, folder.parent / "logs" / f"{as_name(folder.name)}.log")
    status = launch(TrainingScreen(folder, control=True, job=job), screen_of)
    if job.process.poll() is None:
        rests = "is paused" if requested(folder, "pause") else "goes on"
        print(f"The training {rests}; arena runs {shlex.quote(str(folder))} --control shows it again.")
        return status
    print(job.output(), end="")
    return status or job.process.returncode


def _named(options: Options) -> FoundRun:
    """The run that is meant."""
    for folder in (options.runs / options.run, Path(options.run)):
        if (found := read_run(folder)) is not None:
            return found
    known = ", ".join(run.name for run in find_runs(options.runs)[:8])
    raise UsageError(
        f"there is no run {options.run!r}; {f'in {options.runs} are {known}' if known else 'there are none'}"
    )


def _told(run: FoundRun) -> dict[str, Any]:
    return {"name": run.name, "folder": str(run.folder), "game": run.game, "algorithm": run.algorithm} | asdict(
        run.status
    )


def _table(found: list[FoundRun]) -> Table:
    numbers = (Column(name, justify="right", no_wrap=True) for name in ("steps", "", "steps/s", "snapshots"))
    words = (Column(name, no_wrap=True) for name in ("", "run", "game", "by"))
    table = Table(*words, *numbers, "newest snapshot", box=SIMPLE, padding=(0, 1, 0, 0))
    for run in found:
        status = run.status
        scores = (
            f"{name} {value:.4g}" if name == "return" else f"{name} {value:.0%}"
            for name, value in status.evaluation.items()
        )
        table.add_row(
            Text(status.state, "bold" if status.at_work else ""),
            Text(run.name),
            run.game.partition("(")[0],
            run.algorithm,
            f"{status.step:,}",
            status.share,
            f"{status.rate:,.0f}" if status.rate else "",
            str(status.snapshots),
            ", ".join(scores),
        )
    return table
