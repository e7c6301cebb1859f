"""A sweep as it is shown: a table of trials, files, and a picture."""

import csv
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from arena.base.saving import write_whole
from arena.base.text import csv_cell, plot_text
from arena.training.sweep.search_space import Dimension
from arena.training.sweep.sweep import SweepSetup

if TYPE_CHECKING:
    from arena.training.sweep.study import TrialRow

RESULTS, TABLE, PICTURE = "results.json", "trials.csv", "sweep.png"
INK, PRUNED, BEST, GRID, QUIET = "#08519c", "#7fb3d9", "#b35806", "#ececec", "#666666"
MOST_ROWS = 20
"""Most trials in the table of a terminal."""
MOST_COLUMNS = 4
"""Most pictures beside each other."""


def ranked(rows: "Sequence[TrialRow]", maximizes: bool) -> "list[TrialRow]":
    """Return the trials in the order of their values: those that went to their end first, those without one last."""
    sign = -1 if maximizes else 1
    return sorted(rows, key=lambda row: (row.state != "complete", row.value is None, sign * (row.value or 0.0)))


def best_of(rows: "Sequence[TrialRow]", maximizes: bool) -> "TrialRow | None":
    """Return the best of the trials that went to their end; None if none has."""
    first = next(iter(ranked(rows, maximizes)), None)
    return first if first is not None and first.state == "complete" else None


def sweep_table(setup: SweepSetup, rows: "Sequence[TrialRow]") -> Table:
    """Return the trials as a table, the best first."""
    table = Table(box=None, pad_edge=False)
    for heading in ("trial", setup.config.objective, *(one.name for one in setup.dimensions), "snapshots"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("state")
    for row in ranked(rows, setup.maximizes)[:MOST_ROWS]:
        style = "bold" if row.state == "complete" else "dim"
        value = "" if row.value is None else f"{row.value:.4g}"
        values = [_short(row.values.get(one.name, "")) for one in setup.dimensions]
        state = row.message or row.state
        table.add_row(str(row.number), value, *values, str(len(row.curve)), Text(state), style=style)
    if len(rows) > MOST_ROWS:
        table.caption = f"and {len(rows) - MOST_ROWS} more in {TABLE}"
    return table


def sweep_json(setup: SweepSetup, rows: "Sequence[TrialRow]") -> dict[str, Any]:
    """Return the results as JSON values."""
    best = best_of(rows, setup.maximizes)
    trials = [
        {"trial": row.number, "state": row.state, "value": row.value, "values": dict(row.values)}
        | {"curve": [list(point) for point in row.curve], "message": row.message}
        | {"agent": f"{setup.algo}:{setup.folder_of(row.number)}"}
        for row in rows
    ]
    head = {"task": setup.task, "algo": setup.algo, "objective": setup.config.objective, "maximizes": setup.maximizes}
    return head | {"best": None if best is None else best.number, "trials": trials}


def write_sweep(setup: SweepSetup, rows: "Sequence[TrialRow]") -> None:
    """Write the results, the trials as a table, and a picture into the folder of the sweep."""
    text = json.dumps(sweep_json(setup, rows), indent=2) + "\n"
    write_whole(setup.folder / RESULTS, partial(Path.write_text, data=text, encoding="utf-8"))
    write_whole(setup.folder / TABLE, partial(_write_trials, setup, rows))
    write_whole(setup.folder / PICTURE, partial(_save_picture, setup, rows))


def _write_trials(setup: SweepSetup, rows: "Sequence[TrialRow]", path: Path) -> None:
    names = [one.name for one in setup.dimensions]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["trial", "state", "value", *names, "snapshots", "message"])
        for row in rows:
            values = [row.values.get(name, "") for name in names]
            writer.writerow(map(csv_cell, [row.number, row.state, row.value, *values, len(row.curve), row.message]))


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _save_picture(setup: SweepSetup, rows: "Sequence[TrialRow]", path: Path) -> None:
    """Draw the values of trials in their order with the best so far, and over each option that was searched."""
    from matplotlib.figure import Figure

    panels = 1 + len(setup.dimensions)
    columns = min(panels, MOST_COLUMNS)
    lines = -(-panels // columns)
    figure = Figure(figsize=(3.2 * columns, 2.6 * lines + 0.4), dpi=160, layout="constrained")
    axes = figure.subplots(lines, columns, squeeze=False, sharey=True).ravel()
    known = [row for row in rows if row.value is not None]
    _scatter(axes[0], known, lambda row: row.number)
    axes[0].set_xlabel("trial", fontsize=9, color=QUIET)
    whole = [row for row in known if row.state == "complete"]
    best = [best_of(whole[: place + 1], setup.maximizes) for place in range(len(whole))]
    axes[0].step(
        [row.number for row in whole], [row.value for row in best if row], where="post", color=BEST, linewidth=1.2
    )
    for panel, one in zip(axes[1:], setup.dimensions, strict=False):
        _scatter(panel, known, partial(_place_of, one))
        if one.choices:
            panel.set_xticks(range(len(one.choices)), [plot_text(choice) for choice in one.choices])
            panel.set_xlim(-0.5, len(one.choices) - 0.5)
        elif one.log:
            panel.set_xscale("log")
        panel.set_xlabel(plot_text(one.name), fontsize=9, color=QUIET)
    for panel in axes[panels:]:
        panel.set_visible(False)
    axes[0].set_ylabel(setup.config.objective, fontsize=9)
    figure.suptitle(plot_text(f"{setup.task}, {setup.algo}"), fontsize=11, weight="bold", x=0.01, ha="left")
    figure.savefig(path)


def _place_of(one: Dimension, row: "TrialRow") -> Any:
    """Return where a trial stands on the axis of an option: its value, or the number of its choice."""
    value = row.values.get(one.name)
    return one.choices.index(value) if one.choices and value is not None else value


def _scatter(axes: Any, rows: "Sequence[TrialRow]", place: "Callable[[TrialRow], Any]") -> None:
    """Draw trials as points, those that were stopped as rings."""
    for state, face in (("complete", INK), ("pruned", "none"), ("running", "none")):
        points = [(place(row), row.value) for row in rows if row.state == state]
        if points:
            axes.scatter(*zip(*points, strict=True), s=22, facecolors=face, edgecolors=INK if face == INK else PRUNED)
    axes.grid(color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8, colors=QUIET)
