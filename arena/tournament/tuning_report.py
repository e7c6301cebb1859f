"""A tuning as it is shown: a live table, files, and a picture of the way of the estimates."""

import csv
import json
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from arena.base.saving import write_whole
from arena.base.text import csv_cell, plot_text
from arena.tournament.live import LiveProgress
from arena.tournament.picture import COLOURS, DPI, NO_SCORE, QUIET
from arena.tournament.spsa import TunedParameter
from arena.tournament.tuning import Iteration, TunedValue, TuningResult, tuned_values

RESULTS, ITERATIONS, PICTURE = "tuning.json", "iterations.csv", "parameters.png"
REFRESH_S = 0.25
"""Least seconds between two tables."""
MEANING = "estimate: mean of the later half of the iterations; spread: standard deviation of those"


class LiveTuning(LiveProgress):
    """The `progress` of a tuning in the terminal."""

    def __init__(self, parameters: Sequence[TunedParameter], total: int, console: Console):
        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("iterations"), TimeRemainingColumn())
        super().__init__(console, Progress(*columns, console=console))
        self._parameters = parameters
        self._task, self._total, self._next = self._bar.add_task("iterations", total=None), total, 0.0
        self._is_timed = False

    def __call__(self, iterations: Sequence[Iteration]) -> None:
        """Show all iterations so far."""
        if not self._console.is_terminal or time.monotonic() < self._next:
            return
        if not self._is_timed:
            self._bar.reset(self._task, total=self._total, completed=len(iterations))  # not part of the speed
            self._is_timed = True
        self._bar.update(self._task, completed=len(iterations))
        self.show(tuning_table(tuned_values(self._parameters, iterations)))
        self._next = time.monotonic() + REFRESH_S


def tuning_table(values: Sequence[TunedValue]) -> Table:
    """Return what is known of the parameters as a table."""
    table = Table(box=None, pad_edge=False)
    table.add_column("parameter", min_width=12)
    for heading in ("start", "now", "estimate", "spread", "bounds", "step"):
        table.add_column(heading, justify="right", no_wrap=True)
    for value in values:
        one = value.parameter
        table.add_row(
            Text(one.name, style="bold"),
            f"{one.start:.4g}",
            f"{value.now:.4g}",
            f"{value.estimate:.4g}",
            f"{value.spread:.2g}",
            f"{one.low:g} to {one.high:g}",
            f"{one.step:.4g}",
        )
    table.caption = MEANING
    return table


def tuning_json(result: TuningResult) -> dict[str, Any]:
    """Return the result as JSON values."""
    tuning = result.tuning
    values = [
        {"name": value.parameter.name, "start": value.parameter.start, "now": value.now}
        | {"estimate": value.estimate, "spread": value.spread}
        for value in result.values
    ]
    games = sum(one.wins + one.draws + one.losses for one in result.iterations)
    head = {"key": tuning.key, "game": tuning.game.label, "agent": tuning.spec, "tuned": result.spec}
    return head | {"games": games, "parameters": values, "settings": tuning.settings}


def write_tuning(result: TuningResult, folder: Path) -> None:
    """Write the result, all iterations and a picture into a folder."""
    text = json.dumps(tuning_json(result), indent=2, allow_nan=False) + "\n"
    write_whole(folder / RESULTS, partial(Path.write_text, data=text, encoding="utf-8"))
    write_whole(folder / ITERATIONS, partial(_write_iterations, result))
    write_whole(folder / PICTURE, partial(_save_picture, result))


def _write_iterations(result: TuningResult, path: Path) -> None:
    names = [parameter.name for parameter in result.tuning.parameters]
    ends = [f"{name} {end}" for end in ("plus", "minus", "estimate") for name in names]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(map(csv_cell, ["iteration", "wins", "draws", "losses", *ends]))
        for one in result.iterations:
            values = np.concatenate([one.probe.plus, one.probe.minus, one.theta]).tolist()
            writer.writerow([one.number, one.wins, one.draws, one.losses, *values])


def _save_picture(result: TuningResult, path: Path) -> None:
    """Draw the estimate of every parameter over the iterations, with its mean and spread in the later half."""
    from matplotlib.figure import Figure

    values = result.values
    figure = Figure(figsize=(7.2, 1.7 * len(values) + 0.6), dpi=DPI, layout="constrained")
    rows = figure.subplots(len(values), 1, sharex=True, squeeze=False)[:, 0]
    numbers = [0, *(one.number for one in result.iterations)]
    later = [numbers[-1] // 2, numbers[-1]]
    for place, (axes, value) in enumerate(zip(rows, values, strict=True)):
        one = value.parameter
        way = [one.start, *(float(iteration.theta[place]) for iteration in result.iterations)]
        low, high = value.estimate - value.spread, value.estimate + value.spread
        axes.fill_between(later, low, high, color=COLOURS[3], alpha=0.4, linewidth=0)
        axes.hlines(value.estimate, *later, color=COLOURS[0], linewidth=1.4)
        axes.plot(numbers, way, color=COLOURS[-1], linewidth=1.2)
        axes.set_ylim(one.low, one.high)
        axes.set_ylabel(plot_text(one.name), fontsize=9)
        axes.grid(color=NO_SCORE, linewidth=0.8)
        axes.tick_params(labelsize=8, colors=QUIET)
        axes.set_title(f"{value.estimate:.4g} ± {value.spread:.2g}", fontsize=9, loc="right", color=COLOURS[0])
    rows[-1].set_xlabel("iteration", fontsize=9, color=QUIET)
    title = f"{result.tuning.game.label}: {result.tuning.spec}"
    figure.suptitle(plot_text(title), fontsize=11, weight="bold", x=0.01, ha="left")
    figure.savefig(path)
