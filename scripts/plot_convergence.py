"""Plot the convergence of solvers to an equilibrium, from the curves that `arena solve` writes.

for s in cfr cfr+ linear-cfr dcfr; do arena solve leduc_poker $s --iterations 10000 --out runs/leduc/$s; done
for s in external-sampling outcome-sampling; do
    arena solve leduc_poker $s --iterations 2000000 --out runs/leduc/$s
done
python scripts/plot_convergence.py runs/leduc/* scripts/pictures/convergence.png
"""

import csv
import json
import sys
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

Curve = list[dict[str, float]]
"""Points of a curve: `iterations`, `seconds`, `exploitability`."""


def read(run: Path) -> tuple[str, str, Curve]:
    """Return the game of a run, its solver, and its curve."""
    config = json.loads((run / "run.json").read_text(encoding="utf-8"))
    with open(run / "curve.csv", encoding="utf-8") as file:
        return config["game"], config["solver"], [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]


def draw(axes: Axes, runs: list[tuple[str, str, Curve]], across: str, label: str) -> None:
    """Plot exploitability over iterations or seconds, on logarithmic scales."""
    for _, solver, curve in runs:
        points = [(point[across], point["exploitability"]) for point in curve if point[across] > 0]
        axes.plot(*zip(*points, strict=True), label=solver, linewidth=1.6)
    axes.set(xscale="log", yscale="log", xlabel=label, ylabel="exploitability (NashConv / 2)")
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    runs = [read(Path(run)) for run in sys.argv[1:-1]]
    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw(left, runs, "iterations", "iterations")
    draw(right, runs, "seconds", "seconds, one core")
    left.legend(frameon=False)
    figure.suptitle(", ".join(sorted({game for game, _, _ in runs})))
    figure.savefig(sys.argv[-1], dpi=100)
    return 0


if __name__ == "__main__":
    sys.exit(main())
