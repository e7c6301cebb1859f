"""Plot the picture of speed of docs/measured/speed.md, from the rows of a benchmark.

python scripts/benchmark.py engine --python pgx=PATH --csv scripts/speed.csv
python scripts/plot_speed.py scripts/speed.csv scripts/pictures/speed.png
"""

import argparse
from pathlib import Path

from benchmarks.kept import KeptRow, read
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLOURS = {"Arena": "#08519c", "OpenSpiel": "#f4a64a", "pgx": "#8c8c8c"}
PANELS = {
    "playouts": "whole games in compiled code",
    "1,024 boards": "1,024 boards a call, with observations and masks",
}
"""Start of a row's work after the game's name, and the title of its panel."""

Speeds = dict[str, dict[str, float]]
"""Moves a second by game and by library."""


def speeds(rows: list[KeptRow], beginning: str) -> Speeds:
    """Return the rows of one panel, in their order."""
    table: Speeds = {}
    for row in rows:
        game, _, work = row.work.partition(": ")
        if row.section != "engine" or not work.startswith(beginning):
            continue
        bars = table.setdefault(game.replace(":size=", " ").partition(":")[0], {"Arena": row.ours})
        if row.peer is not None:
            bars.setdefault(row.peer_name.partition(" ")[0].rstrip(","), row.peer)  # the first is the faster
    return table


def draw(axes: Axes, title: str, table: Speeds) -> None:
    """Plot bars on a logarithmic scale, one group a game."""
    for place, bars in enumerate(table.values()):
        for i, (name, colour) in enumerate(COLOURS.items()):
            if name in bars:
                axes.barh(place + 0.27 * (i - 1), bars[name], 0.25, color=colour)
    axes.set(title=title, xscale="log", xlim=(1e3, 3e8), xlabel="moves a second, one core", yticks=range(len(table)))
    axes.set_yticklabels(table)
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="rows of the benchmark")
    parser.add_argument("target", type=Path, help="picture to write")
    options = parser.parse_args()
    rows = read(options.source)
    figure = Figure(figsize=(11, 5.2), dpi=150, layout="constrained")
    for axes, (beginning, title) in zip(figure.subplots(1, 2), PANELS.items(), strict=True):
        draw(axes, title, speeds(rows, beginning))
    handles = [figure.axes[0].barh(0, 0, color=colour, label=name) for name, colour in COLOURS.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(COLOURS), frameon=False)
    figure.savefig(options.target)


if __name__ == "__main__":
    main()
