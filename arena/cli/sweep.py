"""`arena sweep`: search hyper-parameters of a training."""

import json
import shlex
import sys
from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro
from rich.live import Live

from arena.base.errors import UsageError
from arena.base.terminal import make_console
from arena.base.text import file_name
from arena.cli.train import Algorithm, SettingsFile, Task, options_of
from arena.policy.registry import learning_algorithm
from arena.training.gym_names import short_task
from arena.training.options import USUAL_LOGGER, LoggerName
from arena.training.settings import SETTINGS
from arena.training.sweep.search_space import read_space
from arena.training.sweep.sweep import Sweep, SweepConfig, SweepSetup
from arena.training.task_names import make_task, task_name
from games.engine.source_files import short_name

if TYPE_CHECKING:
    from arena.training.sweep.study import TrialRow

DOC = """Search hyper-parameters of a training: many short trainings, which Optuna chooses and stops early (TPE).

    Takes all options of 'arena train TASK ALGO'; those that are searched differ from trial to trial. Trials are run
    folders like others, in that of the sweep, which also gets trials.csv, results.json and a picture. The same command
    with --resume goes on with a sweep that was interrupted or killed, or makes it longer with more --trials.
    """


@dataclass(frozen=True)
class Options:
    """Options of every sweep."""

    task: Task
    """The game, with its options if any (tic_tac_toe:m=6,n=6,k=4), or a Gymnasium environment (gym:CartPole-v1,
    gym:./walk.py)."""
    algo: Algorithm
    """The learning algorithm; 'arena agents' lists them."""
    search: Annotated[tyro.conf.UseAppendAction[tuple[str, ...]], tyro.conf.arg(metavar="NAME=LOW..HIGH|A|B")] = ()
    """Option that is searched, by its name in Python or as below: learning_rate=1e-5..1e-2:log, repeat=1..4,
    hidden=64|128, reward_normalization=true|false. The option may be given several times."""
    space: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """TOML file of options that are searched, a line each: learning_rate = "1e-5..1e-2:log", hidden = [64, 128]."""
    sweep: SweepConfig = field(default_factory=SweepConfig)
    parallel: Annotated[str, tyro.conf.arg(metavar="N|ray[://HOST:PORT]")] = "1"
    """Trials at the same time, in processes of this machine or on a Ray cluster whose machines share the folder. Only
    with 1 does the seed fix which trials are chosen."""
    settings: SettingsFile = None
    """TOML file with task, algorithm and options, such as config.toml of a run; options given here take precedence."""
    logger: LoggerName = USUAL_LOGGER
    """Logger of the curves of the trials: tensorboard, csv or wandb."""
    json: bool = False
    """Print the results as JSON instead of a table, and everything else to standard error."""


def options_for(arguments: Sequence[str]) -> type:
    """Return the options class for the task and algorithm among the arguments."""
    return options_of(arguments, None, Options, DOC)


def run(options: Any) -> int:
    """Run the sweep, or the rest of it, and report it; return the exit status."""
    remarks = sys.stderr if options.json else sys.stdout
    make_task(options.task)  # before torch is loaded: a name that is misspelt is refused at once
    learning_algorithm(options.algo)
    setup = _setup(options)
    words = [word for word in sys.argv[1:] if word != "--resume"]
    again = shlex.join(["arena", *words, "--resume"])
    with closing(Sweep(setup, options.parallel, options.run.resume)) as sweep:
        print(f"The sweep is in {setup.folder}. If it ends early, resume it with\n  {again}", file=remarks, flush=True)
        try:
            rows = _run(sweep)
        except KeyboardInterrupt:
            print(f"\nThe trials so far are kept; resume with\n  {again}", file=sys.stderr)
            raise
    _report(setup, rows, options.json)
    return 0


def _setup(options: Any) -> SweepSetup:
    """Return the sweep that the options describe."""
    parts = {name: getattr(options, name) for name in ("run", "config", "league", "scale") if hasattr(options, name)}
    if options.parallel != "1" and not options.run.threads:
        parts["run"] = replace(options.run, threads=1)  # trials would wait for each other's threads
    usual = Path(
        "runs", f"sweep-{file_name(short_task(task_name(options.task)))}-{file_name(short_name(options.algo))}"
    )
    searched = {name: part for name, part in parts.items() if name != "scale"}
    dimensions = read_space(options.search, options.space, searched)
    folder = options.run.out or usual
    return SweepSetup(options.task, options.algo, parts, dimensions, options.sweep, folder, options.logger)


def _run(sweep: Sweep) -> "list[TrialRow]":
    """Run the sweep under a live table, if there is a terminal."""
    from arena.training.sweep.report import sweep_table

    console = make_console(stderr=True)
    live = Live(
        console=console,
        transient=True,
        refresh_per_second=1,
        get_renderable=lambda: sweep_table(sweep.setup, sweep.study.rows()),
    )
    with live if console.is_terminal else nullcontext():
        return sweep.run()


def _report(setup: SweepSetup, rows: "Sequence[TrialRow]", as_json: bool) -> None:
    """Write the results into the folder, and print them."""
    from arena.training.sweep.report import best_of, sweep_json, sweep_table, write_sweep

    remarks = sys.stderr if as_json else sys.stdout
    write_sweep(setup, rows)
    if as_json:
        print(json.dumps(sweep_json(setup, rows), indent=2))
    else:
        console = make_console()
        (console if console.is_terminal else make_console(width=160)).print(sweep_table(setup, rows))
    best = best_of(rows, setup.maximizes)
    if best is None:
        failed = next((row for row in rows if row.message), None)
        raise UsageError(f"no trial of {setup.folder} went to its end" + (f": {failed.message}" if failed else ""))
    folder = setup.folder_of(best.number)
    print(f"best: trial {best.number}, {setup.algo}:{folder}", file=remarks)
    named = ["arena", "train", setup.task, setup.algo]  # a file that the settings alone name is not trusted
    longer = [*named, "--config", str(folder / SETTINGS), "--out", str(setup.folder / "best"), "--steps"]
    print(f"train it longer: {shlex.join(longer)} {10 * setup.parts['run'].steps}", file=remarks)
