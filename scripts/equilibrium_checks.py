"""How close do learners come to an equilibrium? Self-play on a small game, its exploitability measured exactly.

    python scripts/equilibrium_checks.py [nfsp] [mmd] [--game leduc_poker] [--episodes 5000000] [--seeds 0 1 2]
        [--csv scripts/equilibrium_checks.csv] [--picture scripts/pictures/equilibria.png]

A training runs on one thread of a CPU. Every snapshot is measured, and its row goes into the table at once; a training
that is in the table whole is not done again. The status is 1 where the median over the seeds misses its threshold.
"""

import argparse
import csv
import dataclasses
import statistics
import sys
import tempfile
import time
from pathlib import Path

from matplotlib.figure import Figure

from agents.mmd import MMDConfig
from arena.equilibrium.asking import ask_strategy
from arena.equilibrium.response import exploitability
from arena.equilibrium.tree import GameTree, build_tree
from arena.errors import UsageError
from arena.league.config import RunConfig
from arena.league.training import SelfPlayTraining
from arena.registry import make_agent, make_game
from arena.tui.counting import counted

MOST = {
    ("kuhn_poker", "nfsp"): 0.05,
    ("kuhn_poker", "mmd"): 0.05,
    ("leduc_poker", "nfsp"): 0.5,
    ("leduc_poker", "mmd"): 0.2,
}
"""What exploitability (NashConv / 2) has to fall below."""
MOVES = {"kuhn_poker": 2.4, "leduc_poker": 4.3}
"""Moves of a game, about, between players who have learned."""
PUBLISHED = {
    "leduc_poker": ("NFSP, OpenSpiel (2019)", [(0.96e6, 0.99), (5.5e6, 0.58), (15.9e6, 0.40), (24.8e6, 0.33)]),
}
"""Somebody else's curve: episodes and exploitability, read off figure 3 of arXiv 1908.09453."""
CONFIGS = {("leduc_poker", "mmd"): MMDConfig(final_temperature=0.02, batch_size=4096, average_rate=0.01)}
"""For long trainings: less of a magnet at the end, and less jitter. The usual config where there is none."""
COLOURS = {"nfsp": "tab:orange", "mmd": "tab:blue"}


@dataclasses.dataclass(frozen=True)
class Row:
    """One snapshot, of `snapshots`."""

    game: str
    algorithm: str
    seed: int
    number: int
    snapshots: int
    episodes: int
    seconds: float
    """Of this process's CPU time, measurements not counted."""
    exploitability: float


class Training:
    """Trains from a seed, and measures every snapshot."""

    def __init__(self, tree: GameTree, algorithm: str, seed: int, arguments: argparse.Namespace):
        self.tree, self.algorithm, self.seed, self.snapshots = tree, algorithm, seed, arguments.snapshots
        self.boards, self.moves = arguments.boards, arguments.moves
        self.steps = int(arguments.episodes * MOVES.get(tree.game.name, 5.0))
        self.rows: list[Row] = []
        self.episodes, self.measuring = 0, 0.0

    def run(self, table: Path) -> None:
        """Train to the end; rows are appended to the table."""
        with tempfile.TemporaryDirectory() as folder:
            options = RunConfig(
                out=Path(folder) / "run",
                seed=self.seed,
                steps=self.steps,
                snapshots=self.snapshots,
                threads=1,
                boards=self.boards,
                moves=self.moves,
                evaluation=(),
            )
            config = CONFIGS.get((self.tree.game.name, self.algorithm))
            training = SelfPlayTraining(self.tree.game, self.algorithm, config, options)
            self.begun = time.process_time()

            def watch(progress: object = None) -> None:
                learner = training.students[0]
                if learner.record.turns > len(self.rows):
                    self.measure(training.folder)
                    append(table, self.rows[-1])
                self.episodes = learner.collector.collect_episode

            training.train(watch)
            watch()

    def measure(self, folder: Path) -> None:
        """Add the row of the newest snapshot."""
        begun = time.process_time()
        game, number = self.tree.game, len(self.rows) + 1
        spec = f"{self.algorithm}:{folder}/snapshot-{number:04d}"
        result = exploitability(self.tree, ask_strategy(self.tree, make_agent(spec, game), spec))
        seconds = begun - self.begun - self.measuring
        figures = self.snapshots, self.episodes, round(seconds, 1), round(result.exploitability, 6)
        self.rows.append(Row(game.label, self.algorithm, self.seed, number, *figures))
        self.measuring += time.process_time() - begun


def append(table: Path, row: Row) -> None:
    """Write a row, below a header if it is the first; and tell it."""
    new = not table.exists()
    with open(table, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in dataclasses.fields(Row)])
        if new:
            writer.writeheader()
        writer.writerow(dataclasses.asdict(row))
    print(
        f"{row.game}  {row.algorithm:5} seed {row.seed}  {row.episodes:>10,} episodes  {row.seconds:>6.0f} s  "
        f"exploitability {row.exploitability:.4f}",
        flush=True,
    )


def read(table: Path) -> list[Row]:
    """The rows of a table; none if there is no file."""
    if not table.exists():
        return []
    kinds = {"game": str, "algorithm": str, "seconds": float, "exploitability": float}
    with open(table, encoding="utf-8") as file:
        return [Row(**{key: kinds.get(key, int)(value) for key, value in row.items()}) for row in csv.DictReader(file)]


def draw(rows: list[Row], game: str, picture: Path) -> None:
    """Exploitability over episodes, one line a seed, beside what is published and the thresholds."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for algorithm in COLOURS:
        seeds = sorted({row.seed for row in rows if row.algorithm == algorithm})
        for seed in seeds:
            mine = [row for row in rows if (row.algorithm, row.seed) == (algorithm, seed)]
            label = f"{algorithm}, {counted(len(seeds), 'seed')}" if seed == seeds[0] else None
            episodes, distances = [row.episodes for row in mine], [row.exploitability for row in mine]
            axes.plot(episodes, distances, color=COLOURS[algorithm], linewidth=1.4, label=label)
        if seeds and (game, algorithm) in MOST:
            axes.axhline(MOST[game, algorithm], color=COLOURS[algorithm], linewidth=0.8, linestyle=":")
    if game in PUBLISHED:
        name, points = PUBLISHED[game]
        axes.plot(*zip(*points, strict=True), "o--", color="grey", linewidth=1.0, markersize=4, label=name)
    axes.set(xscale="log", yscale="log", xlabel="episodes", ylabel="exploitability (NashConv / 2)", title=game)
    axes.grid(alpha=0.3, which="both")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(picture, dpi=100)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("algorithms", nargs="*", metavar="ALGORITHM", help="nfsp, mmd; or both")
    parser.add_argument("--game", default="leduc_poker")
    parser.add_argument("--episodes", type=int, default=5_000_000, help="about how many, of each training")
    parser.add_argument("--boards", type=int, default=2048, help="games played at the same time")
    parser.add_argument("--moves", type=int, default=16, help="on each of them between two updates (mmd)")
    parser.add_argument("--snapshots", type=int, default=25)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--csv", type=Path, default=Path("equilibrium_checks.csv"), metavar="FILE")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the table there")
    arguments = parser.parse_args()
    for name in arguments.algorithms:
        if name not in COLOURS:
            parser.error(f"unknown algorithm {name!r}; known: {', '.join(COLOURS)}")
    try:
        tree = build_tree(make_game(arguments.game))
    except UsageError as error:
        parser.error(str(error))
    passed = True
    for algorithm in arguments.algorithms or list(COLOURS):
        for seed in arguments.seeds:
            done = {(row.algorithm, row.seed) for row in read(arguments.csv) if row.number == row.snapshots}
            if (algorithm, seed) not in done:
                Training(tree, algorithm, seed, arguments).run(arguments.csv)
        last = [
            row.exploitability
            for row in read(arguments.csv)
            if row.number == row.snapshots and row.algorithm == algorithm and row.seed in arguments.seeds
        ]
        most = MOST.get((tree.game.name, algorithm))
        said = "" if most is None else f", to be below {most}"
        print(f"{algorithm}: median over {len(last)} seeds {statistics.median(last):.4f}{said}")
        passed &= most is None or statistics.median(last) < most
    if arguments.picture:
        draw([row for row in read(arguments.csv) if row.game == tree.game.label], tree.game.name, arguments.picture)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
