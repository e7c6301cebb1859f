"""`TrainingBar`: how far a training is, how fast and how strong, on the terminal that it was started in."""

import sys
import time
from typing import TYPE_CHECKING, Self

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from arena.base.terminal import make_console, suspendable
from arena.training.scores import score_words

if TYPE_CHECKING:
    from arena.training.progress import Progress as TrainingProgress

RATES = {"step": "steps", "games": "games", "simulations": "simulations"}
"""Counters whose speed is shown, with the unit that is counted."""


def describe_strength(progress: "TrainingProgress") -> list[str]:
    """Return the scores, ratings and worker losses of a training as short phrases."""
    scores = []
    if progress.elo is not None:
        scores.append(f"Elo {progress.elo[0]:+z.0f} ±{progress.elo[1]:.0f} ({progress.elo_zero} is 0)")
    scores += [] if progress.pool_score is None else [f"pool {progress.pool_score:.0%}"]
    scores += score_words(progress.evaluation)
    scores += [f"refused {progress.refused}x by the gate"] if progress.refused else []
    worker_figures = {name.partition("/")[2]: count for name, count in progress.worker_figures.items() if count}
    scores += [f"{count:,} {name.replace('_', ' ')}" for name, count in worker_figures.items()]
    return scores


class TrainingBar:
    """A progress bar on a terminal; one line for each snapshot if the output is no terminal."""

    def __init__(self) -> None:
        console = make_console(stderr=True)
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
        self._start: tuple[float, TrainingProgress] | None = None
        self._printed_snapshots = 0

    def __enter__(self) -> Self:
        self._progress.start()
        self._suspension = suspendable(self._progress.console)
        self._suspension.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._suspension.__exit__(None, None, None)
        self._progress.stop()

    def show(self, progress: "TrainingProgress") -> None:
        """Show the progress of a training, its speed and its losses."""
        now = time.monotonic()
        if self._start is None:
            self._start = now, progress
        start_time, first = self._start
        counts = {name: getattr(progress, name) - getattr(first, name) for name in RATES}
        speeds = {name: count / max(now - start_time, 1e-9) for name, count in counts.items() if count}
        figures = [f"{speed:,.{0 if speed >= 10 else 2}f} {RATES[name]}/s" for name, speed in speeds.items()]
        figures += [f"{name.replace('/', ' ')} {value:.3g}" for name, value in progress.losses.items()]
        text = "  ".join(figures + describe_strength(progress))
        self._progress.update(
            self._task,
            completed=progress.step,
            total=progress.total_steps,
            snapshots=f"{progress.snapshots} of {progress.total_snapshots} snapshots",
            figures=text,
        )
        if not self._live and progress.snapshots > self._printed_snapshots:
            self._printed_snapshots = progress.snapshots
            beyond = progress.step > progress.total_steps  # by the last batch
            taken = f"{progress.step:,}" if beyond else f"{progress.step:,} of {progress.total_steps:,}"
            print(f"{taken} steps  {text}", file=sys.stderr)
