"""Keep the learning curve of every algorithm: python scripts/learning_curves.py [ALGORITHM ...] [--csv FILE].

Each is trained once, from seed 0, on one thread: against itself on a game, or in a Gymnasium environment. The curve is
what `arena train --logger csv` writes. Curves that are in the file already are left alone unless they are named. The
pages of agents show them.
"""

import argparse
import csv
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.base.saving import replace_text

ROWS = Path(__file__).with_name("learning_curves.csv")
COLUMNS = ("algorithm", "task", "figure", "step", "low", "mean", "high")
FIGURES = {"elo": ("elo/low", "elo", "elo/high"), "return": ("score/return_low", "score/return", "score/return_high")}
"""Figures that a training logs, with the ends of their intervals."""


@dataclass(frozen=True)
class Task:
    """What an algorithm is trained for."""

    name: str
    steps: int
    options: tuple[str, ...] = ()


ON_POLICY = ("a2c", "npg", "pg", "ppo", "trpo")
OFF_POLICY = ("c51", "discrete-sac", "dqn", "fqf", "iqn", "qrdqn", "rainbow")
OPENINGS = ("--openings", "12")
"""Training games begin after 0 to 12 random moves, which the agent would not play itself."""
TASKS = {
    **dict.fromkeys(ON_POLICY, Task("connect_four", 500_000, OPENINGS)),
    **dict.fromkeys(OFF_POLICY, Task("connect_four", 150_000, OPENINGS)),
    "alphazero": Task("connect_four", 200_000, OPENINGS),
    "td": Task("backgammon", 2_000_000),
    "mmd": Task("leduc_holdem", 1_000_000),
    "nfsp": Task("leduc_holdem", 1_000_000),
    **dict.fromkeys(("ddpg", "sac", "td3"), Task("gym:Pendulum-v1", 20_000)),
}
"""Task of each algorithm."""
SNAPSHOTS = 20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "algorithms", nargs="*", metavar="ALGORITHM", help=f"{', '.join(TASKS)}; what lacks without one"
    )
    parser.add_argument("--csv", type=Path, metavar="FILE", default=ROWS, help="file of the curves")
    arguments = parser.parse_args()
    for name in arguments.algorithms:
        if name not in TASKS:
            parser.error(f"unknown algorithm {name!r}; known: {', '.join(TASKS)}")
    for name in arguments.algorithms or TASKS:
        rows = read(arguments.csv)
        if arguments.algorithms or all(row["algorithm"] != name for row in rows):
            print(f"{name} on {TASKS[name].name}", flush=True)
            write(arguments.csv, [*(row for row in rows if row["algorithm"] != name), *trained(name)])
    return 0


def trained(name: str) -> Iterator[dict[str, str]]:
    """Train an algorithm and yield the points of its curve."""
    task = TASKS[name]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "run")
        options = ["--out", str(out), "--steps", str(task.steps), "--snapshots", str(SNAPSHOTS)]
        words = ["train", task.name, name, *task.options, *options, "--threads", "1", "--logger", "csv"]
        subprocess.run([sys.executable, "-m", "arena", *words], check=True, stdout=subprocess.DEVNULL)
        with (out / "figures.csv").open(encoding="utf-8", newline="") as file:
            logged = [line for line in csv.DictReader(file) if line["step_type"] == "run/step"]
    for figure, names in FIGURES.items():
        low, mean, high = ({line["step"]: line["value"] for line in logged if line["name"] == one} for one in names)
        for step, value in mean.items():
            yield dict(zip(COLUMNS, (name, task.name, figure, step, low[step], value, high[step]), strict=True))


def read(path: Path) -> list[dict[str, str]]:
    """Return the points of all curves of a file; none if there is no file."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: list[dict[str, str]]) -> None:
    """Write the points, algorithm by algorithm, with figures of four digits."""
    lines = [",".join(COLUMNS)]
    for row in sorted(rows, key=lambda row: (row["algorithm"], float(row["step"]))):
        figures = (f"{float(row[name]):.4g}" for name in ("low", "mean", "high"))
        lines.append(",".join([*(row[name] for name in COLUMNS[:4]), *figures]))
    replace_text(path, "\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
