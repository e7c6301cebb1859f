"""`arena runs`: the list of trainings, and the screen that follows one."""

import json
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro
from rich.text import Text

from arena.base.errors import UsageError
from arena.base.tables import Cell, Column, print_table
from arena.base.text import printable_lines
from arena.training.follow import FoundRun, find_runs, load_run, survey_runs
from arena.training.gym_names import short_task
from arena.training.live_files import requested
from arena.training.scores import score_words
from arena.tui.services.jobs import as_name, start
from games.engine.identity import name_of
from games.engine.source_files import short_name

if TYPE_CHECKING:
    from textual.screen import Screen

    from arena.tui.state.intents import RunIntent


@dataclass(frozen=True)
class Options:
    """List the trainings in a folder, active ones first; or follow one on a screen.

    A training can be followed from any number of terminals. It goes on when you leave the screen.
    """

    run: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="[RUN]", help_behavior_hint="")] = ""
    """Training to follow: its name in the list, or its folder."""
    control: bool = False
    """Enable keys to pause and stop the training and to keep snapshots; by default the screen is read-only."""
    runs: Path = Path("runs")
    """Folder of the runs."""
    json: bool = False
    """Print JSON instead of a table."""


def options_of(intent: "RunIntent") -> Options:
    """Return the options that another screen asks for."""
    return Options(intent.folder, control=True)


@contextmanager
def screen(options: Options) -> Iterator["Screen[Any]"]:
    """Yield the screen of one training; raise `UsageError` if there is none."""
    from arena.tui.screens.training import TrainingScreen

    yield TrainingScreen(_named(options).folder, options.control)


def run(options: Options) -> int:
    """List the trainings, or show the screen of one; return the exit status."""
    if options.run and not options.json:
        from arena.cli.opening import show

        return show(screen(options))
    runs, problems = ([_named(options)], []) if options.run else survey_runs(options.runs)
    if options.json:
        print(json.dumps([_to_json(run) for run in runs], indent=2))
    elif runs:
        print_table(COLUMNS, [_cells(run) for run in runs])
    else:
        print(f"There is no training in {options.runs}; 'arena train' starts one.")
    for problem in problems:
        print(f"arena: {problem}", file=sys.stderr)
    return 0


def train_on_screen(words: list[str], folder: Path) -> int:
    """Start `arena WORDS`, which trains in `folder`, in a background process and follow it; return the exit status.

    Raises `UsageError` if there is no terminal; nothing is started then.
    """
    from arena.cli.opening import screen_of
    from arena.tui.app import launch, require_terminal
    from arena.tui.screens.training import TrainingScreen

    require_terminal()
    job = start(words, folder.parent / "logs" / f"{as_name(folder.name)}.log")
    status = launch(TrainingScreen(folder, control=True, job=job), screen_of)
    if job.process.poll() is None:
        state = "is paused" if requested(folder, "pause") else "goes on"
        print(f"The training {state}; arena runs {shlex.quote(str(folder))} --control shows it again.")
        return status
    print(printable_lines(job.output()), end="")
    return status or job.process.returncode


def _named(options: Options) -> FoundRun:
    """Return the run that the options name."""
    for folder in (options.runs / options.run, Path(options.run)):
        if (run := load_run(folder)) is not None:
            return run
    known = ", ".join(run.name for run in find_runs(options.runs)[:8])
    raise UsageError(
        f"there is no run {options.run!r}; {f'in {options.runs} are {known}' if known else 'there are none'}"
    )


def _to_json(run: FoundRun) -> dict[str, Any]:
    return {"name": run.name, "folder": str(run.folder), "game": run.game, "algorithm": run.algorithm} | asdict(
        run.status
    )


COLUMNS = (
    Column(""),
    Column("run", least=20),
    Column("game", rank=3),
    Column("by", rank=4),
    Column("steps", rank=5, right=True),
    Column("done", right=True),
    Column("steps/s", rank=6, right=True),
    Column("snapshots", rank=7, right=True),
    Column("score", least=16),
)


def _cells(run: FoundRun) -> list[Cell]:
    status = run.status
    return [
        Text(status.state, "bold" if status.at_work else ""),
        run.name,
        short_task(name_of(run.game)),
        short_name(run.algorithm),
        f"{status.step:,}",
        status.share,
        f"{status.rate:,.0f}" if status.rate else "",
        str(status.snapshots),
        ", ".join(score_words(status.evaluation)),
    ]
