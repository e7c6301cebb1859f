"""`arena train`: train an agent, by self-play in a league, in an environment of Gymnasium, or offline."""

import dataclasses
import shlex
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import tyro
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from arena.cli.tasks import is_gym, make_task
from arena.league.config import LEAGUES, LeagueName, RunConfig, usual_league
from arena.league.scale import ScaleConfig
from arena.registry import AGENTS, agent_kind, learning_algorithm
from arena.runs.options import GymRunOptions, OfflineRunOptions, default_folder
from games.engine.game import Game

if TYPE_CHECKING:
    from arena.runs.run import Progress as Reached
    from arena.runs.run import Run

Task = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="TASK")]
Algorithm = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ALGO")]

DOC = """Train an agent: for a game by self-play in a league, in a Gymnasium environment, or offline from a file.

    arena train TASK ALGO --help shows the options of that algorithm and that way of training.
    """


@dataclasses.dataclass(frozen=True)
class Options:
    """What every training is told."""

    task: Task
    """What to learn: a game, with options if need be (tic_tac_toe:m=6,n=6,k=4), or gym:CartPole-v1"""
    algo: Algorithm
    """How to learn; 'arena agents' lists the algorithms."""
    ui: bool = False
    """Train in a process of its own, and follow it on a screen; it goes on when that is left ('arena runs')."""


NamedLeague = Annotated[
    LeagueName,
    tyro.conf.arg(
        name="league",
        help="A league to begin with, which the options below change: itself and 20 % its past; itself alone; half its "
        "past, the harder the more (PFSP); AlphaStar's main agent, main exploiter and league exploiter.",
    ),
]


def _league_named(arguments: Sequence[str], usual: LeagueName) -> LeagueName:
    """The league that `--league` names, or the usual one; an unknown name is for the parser to refuse."""
    words = [word for argument in arguments for word in argument.split("=", 1)]
    named = words[words.index("--league") + 1 :] if "--league" in words else []
    return next((name for name in LEAGUES if named and name == named[0]), usual)


def options_for(arguments: Sequence[str]) -> type:
    """The options of the task and the algorithm that are named, from the dataclasses that the Python API takes."""
    able = [name for name in AGENTS.names() if name in arguments and agent_kind(name).algorithm]
    words = able or [word for word in arguments[1:2] if not word.startswith("-")]
    algorithm = learning_algorithm(words[0]) if words else None
    single = any(is_gym(word) for word in arguments)
    parts: dict[str, Any]
    fields: list[tuple[str, Any, Any]] = []
    if algorithm is not None and algorithm.data == "offline":
        parts = {"run": OfflineRunOptions()}
    elif single:
        parts = {"run": GymRunOptions()}
    else:
        league = _league_named(arguments, usual_league(algorithm))
        fields.append(("league_name", NamedLeague, dataclasses.field(default=league)))
        parts = {"run": RunConfig(), "league": LEAGUES[league], "scale": ScaleConfig()}
    if algorithm is not None:
        parts["config"] = algorithm.usual_config(single)
    fields += [(name, type(part), dataclasses.field(default=part)) for name, part in parts.items()]
    extended = dataclasses.make_dataclass("Options", fields, bases=(Options,), frozen=True)
    extended.__doc__ = DOC
    return extended


def run(options: Any) -> int:
    """Train; shows progress on a terminal, and says at the end how to go on."""
    if options.ui:
        from arena.cli.runs import begin

        folder = options.run.out or default_folder(make_task(options.task).name, options.algo)
        return begin([word for word in sys.argv[1:] if word != "--ui"], folder)

    from torch.utils.tensorboard import SummaryWriter

    from arena.runs.live import LiveLogger, StopRequested, live
    from arena.trainer.logger import TensorboardLogger

    training = _training(options)
    folder, spec = training.folder, f"{options.algo}:{training.folder}"
    if training.finished:
        print(f"{folder}: this run is finished; its agent is {spec}")
        longer = f"--steps {2 * options.run.steps} --snapshots {2 * options.run.snapshots}"
        print(f"to train on, ask for more steps and, in proportion, snapshots: {longer} --resume")
        return 0
    again = f"stopped; go on with: arena {shlex.join(sys.argv[1:])}{'' if options.run.resume else ' --resume'}"
    writer = SummaryWriter(str(folder / "tensorboard"), purge_step=training.progress().step or None)
    try:
        with writer, TrainingBar() as bar, live(training) as watched:
            training.set_logger(LiveLogger(watched, TensorboardLogger(writer)))

            def tell(progress: "Reached") -> None:
                bar.show(progress)
                watched.tell(progress)

            last = training.train(tell)
    except StopRequested:
        print(again, file=sys.stderr)
        return 0
    except KeyboardInterrupt:
        print(f"\n{again}", file=sys.stderr)
        raise
    progress = training.progress()
    print(f"{spec} is trained ({progress.step:,} steps): {', '.join(said(progress))}")
    if is_gym(options.task):
        print(f"its play:  arena collect {options.task} {spec} --out FILE.hdf5")
    else:
        print(f"watch it:  arena watch {options.task} {spec} random")
        print(f"play it:   arena play {options.task} {spec}")
    print(f"snapshots: {last.parent}/snapshot-*   curves: tensorboard --logdir {folder / 'tensorboard'}")
    return 0


def _training(options: Any) -> "Run":
    """The training that the options mean."""
    task, config = make_task(options.task), getattr(options, "config", None)
    if isinstance(options.run, OfflineRunOptions):
        from arena.runs.offline_run import OfflineRun

        return OfflineRun(task, options.algo, config, options.run)
    if not isinstance(task, Game):
        from arena.runs.gym_run import GymRun

        return GymRun(task, options.algo, config, options.run)
    from arena.league.training import SelfPlayTraining

    return SelfPlayTraining(task, options.algo, config, options.run, options.league, options.scale)


RATES = {"step": "steps", "games": "games", "simulations": "simulations"}
"""What is counted on the way, and how its speed is called."""


def said(progress: "Reached") -> list[str]:
    """How good a policy is, in words."""
    scores = [] if progress.elo is None else [f"Elo {progress.elo[0]:+.0f} ±{progress.elo[1]:.0f}"]
    scores += [] if progress.pool_score is None else [f"pool {progress.pool_score:.0%}"]
    for name, value in progress.evaluation.items():
        scores.append(f"return {value:.4g}" if name == "return" else f"{name} {value:.0%}")
    scores += [f"refused {progress.refused}x by the gate"] if progress.refused else []
    scores += [
        f"{count:,} {name.partition('/')[2].replace('_', ' ')}" for name, count in progress.elsewhere.items() if count
    ]
    return scores


class TrainingBar:
    """A progress bar on a terminal; elsewhere a line for every snapshot."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._live = console.is_terminal
        self._progress = Progress(
            TextColumn("{task.fields[snapshots]}"),
            BarColumn(bar_width=None),
            TextColumn("{task.percentage:3.0f}%"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[figures]}"),
            console=console,
            disable=not self._live,
            expand=True,
        )
        self._task = self._progress.add_task("", total=None, snapshots="", figures="")
        self._start: tuple[float, Reached] | None = None
        self._said = 0

    def __enter__(self) -> "TrainingBar":
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def show(self, progress: "Reached") -> None:
        """Show where a training is."""
        now = time.monotonic()
        if self._start is None:
            self._start = now, progress
        began, first = self._start
        counts = {name: getattr(progress, name) - getattr(first, name) for name in RATES}
        speeds = {name: count / max(now - began, 1e-9) for name, count in counts.items() if count}
        figures = [f"{speed:,.{0 if speed >= 10 else 2}f} {RATES[name]}/s" for name, speed in speeds.items()]
        figures += [f"{name.replace('/', ' ')} {value:.3g}" for name, value in progress.losses.items()]
        text = "  ".join(figures + said(progress))
        self._progress.update(
            self._task,
            completed=progress.step,
            total=progress.total_steps,
            snapshots=f"{progress.snapshots} snapshots",
            figures=text,
        )
        if not self._live and progress.snapshots > self._said:
            self._said = progress.snapshots
            print(f"{progress.step:,} of {progress.total_steps:,} steps  {text}", file=sys.stderr)
