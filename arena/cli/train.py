"""`arena train`: train an agent by self-play in a league."""

import dataclasses
import sys
import time
from collections.abc import Sequence
from typing import Annotated, Any

import tyro
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from arena.errors import UsageError
from arena.league.config import LeagueConfig, RunConfig
from arena.registry import AGENTS, agent_kind, make_game

Game = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="GAME")]
Algorithm = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ALGO")]


@dataclasses.dataclass(frozen=True)
class Options:
    """Train an agent by self-play in a league.

    arena train GAME ALGO --help shows the options of an algorithm as well.

    For example:

    arena train connect_four ppo

    arena train connect_four ppo --out runs/mine --steps 3000000 --seed 1

    arena train connect_four ppo --out runs/mine --steps 3000000 --seed 1 --resume

    arena train tic_tac_toe:m=6,n=6,k=4 dqn --steps 300000
    """

    game: Game
    """What to play, with options if need be: tic_tac_toe:m=6,n=6,k=4"""
    algo: Algorithm
    """How to learn; 'arena agents' lists the algorithms."""
    run: RunConfig = dataclasses.field(default_factory=RunConfig)
    league: LeagueConfig = dataclasses.field(default_factory=LeagueConfig)


def options_for(arguments: Sequence[str]) -> type:
    """The options of the algorithm that is named, wherever it stands, from the dataclass that the Python API takes."""
    able = [name for name in AGENTS.names() if name in arguments and agent_kind(name).algorithm]
    words = able or [word for word in arguments[1:2] if not word.startswith("-")]
    if not words:
        return Options
    kind = agent_kind(words[0])
    if kind.algorithm is None:
        able = [name for name in AGENTS.names() if agent_kind(name).algorithm]
        raise UsageError(f"{words[0]!r} plays but does not learn; one of {', '.join(able)} does")
    config = kind.algorithm.config
    extended = dataclasses.make_dataclass(
        "Options", [("config", config, dataclasses.field(default_factory=config))], bases=(Options,), frozen=True
    )
    extended.__doc__ = Options.__doc__
    return extended


def run(options: Any) -> int:
    """Train; shows progress on a terminal, and says at the end how to go on."""
    from torch.utils.tensorboard import SummaryWriter

    from arena.league.training import SelfPlayTraining
    from arena.trainer.logger import TensorboardLogger

    game = make_game(options.game)
    config = getattr(options, "config", None)
    training = SelfPlayTraining(game, options.algo, config, options.run, options.league)
    folder = training.folder
    if training.finished:
        print(f"{folder}: this run is finished; its agent is {options.algo}:{folder}")
        return 0
    with SummaryWriter(str(folder / "tensorboard"), purge_step=training.progress().step or None) as writer:
        training.set_logger(TensorboardLogger(writer))
        with _Bar() as bar:
            try:
                last = training.train(bar.show)
            except KeyboardInterrupt:
                words = " ".join(sys.argv[1:])
                print(
                    f"\nstopped; go on with: arena {words}{'' if options.run.resume else ' --resume'}", file=sys.stderr
                )
                raise
    scores = ", ".join(f"{score:.0%} against {spec}" for spec, score in training.progress().evaluation.items())
    print(f"{options.algo}:{folder} is trained ({training.progress().step:,} moves): {scores}")
    print(f"watch it:  arena watch {options.game} {options.algo}:{folder} random")
    print(f"play it:   arena play {options.game} {options.algo}:{folder}")
    print(f"snapshots: {last.parent}/snapshot-*   curves: tensorboard --logdir {folder / 'tensorboard'}")
    return 0


class _Bar:
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
        self._start: tuple[float, int] | None = None
        self._said = 0

    def __enter__(self) -> "_Bar":
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def show(self, progress: Any) -> None:
        """Show where a training (`arena.league.training.Progress`) is."""
        now = time.monotonic()
        if self._start is None:
            self._start = now, progress.step
        rate = (progress.step - self._start[1]) / max(now - self._start[0], 1e-9)
        figures = [f"{rate:,.0f} moves/s"] if rate else []
        if progress.pool_score is not None:
            figures.append(f"pool {progress.pool_score:.0%}")
        figures += [f"{spec} {score:.0%}" for spec, score in progress.evaluation.items()]
        text = "  ".join(figures)
        self._progress.update(
            self._task,
            completed=progress.step,
            total=progress.total_steps,
            snapshots=f"{progress.snapshots} snapshots",
            figures=text,
        )
        if not self._live and progress.snapshots > self._said:
            self._said = progress.snapshots
            print(f"{progress.step:,} of {progress.total_steps:,} moves  {text}", file=sys.stderr)
