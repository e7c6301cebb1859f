"""Measure how close learners come to an equilibrium: self-play on a small game, with its exact exploitability.

    python scripts/equilibrium_checks.py [nfsp] [mmd] [--game leduc_poker] [--episodes 5000000] [--seeds 0 1 2]
        [--csv scripts/equilibrium_checks.csv] [--picture scripts/pictures/equilibria.png]

A training runs on one thread of a CPU. Every snapshot is measured, and its row is added to the table at once; a
training that the table holds completely is skipped. The exit status is 1 if a median over the seeds misses
its threshold.
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

from agents.configs.on_policy import MMDConfig
from arena.analysis.asking import ask_strategy
from arena.analysis.response import exploitability
from arena.analysis.tree import GameTree, build_tree
from arena.base.counting import counted
from arena.base.errors import UsageError
from arena.policy.registry import make_agent, make_game
from arena.training.league.config import RunConfig
from arena.training.league.self_play import SelfPlayTraining

THRESHOLDS = {
    ("kuhn_poker", "nfsp"): 0.05,
    ("kuhn_poker", "mmd"): 0.05,
    ("leduc_poker", "nfsp"): 0.5,
    ("leduc_poker", "mmd"): 0.2,
}
"""Threshold of exploitability (NashConv / 2)."""
MOVES = {"kuhn_poker": 2.4, "leduc_poker": 4.3}
"""Approximate moves of a game between trained players."""
PUBLISHED = {
    "leduc_poker": ("NFSP, OpenSpiel (2019)", [(0.96e6, 0.99), (5.5e6, 0.58), (15.9e6, 0.40), (24.8e6, 0.33)]),
}
"""A published curve: episodes and exploitability, read off figure 3 of arXiv 1908.09453."""
CONFIGS = {("leduc_poker", "mmd"): MMDConfig(final_temperature=0.02, batch_size=4096, average_rate=0.01)}
"""Configs for long trainings: a weaker magnet at the end, and less noise. The default config otherwise."""
COLOURS = {"nfsp": "tab:orange", "mmd": "tab:blue"}


@dataclasses.dataclass(frozen=True)
class Row:
    """Measurement of one snapshot out of `snapshots`."""

    game: str
    algorithm: str
    seed: int
    number: int
    snapshots: int
    episodes: int
    seconds: float
    """CPU time of this process, measurements excluded."""
    exploitability: float


class MeasuredTraining:
    """Trains from a seed, and measures every snapshot."""

    def __init__(self, tree: GameTree, algorithm: str, seed: int, arguments: argparse.Namespace):
        self.tree, self.algorithm, self.seed, self.snapshots = tree, algorithm, seed, arguments.snapshots
        self.boards, self.moves = arguments.boards, arguments.moves
        self.steps = int(arguments.episodes * MOVES.get(tree.game.name, 5.0))
        self.rows: list[Row] = []
        self.episodes, self.measuring_s = 0, 0.0

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
            self.start_s = time.process_time()

            def watch(progress: object = None) -> None:
                learner = training.learners[0]
                if learner.record.turns > len(self.rows):
                    self.measure(training.folder)
                    append(table, self.rows[-1])
                self.episodes = learner.collector.collect_episode

            training.train(watch)
            watch()

    def measure(self, folder: Path) -> None:
        """Add the row of the newest snapshot."""
        measuring_start_s = time.process_time()
        game, number = self.tree.game, len(self.rows) + 1
        spec = f"{self.algorithm}:{folder}/snapshot-{number:04d}"
        result = exploitability(self.tree, ask_strategy(self.tree, make_agent(spec, game), spec))
        seconds = measuring_start_s - self.start_s - self.measuring_s
        figures = self.snapshots, self.episodes, round(seconds, 1), round(result.exploitability, 6)
        self.rows.append(Row(game.label, self.algorithm, self.seed, number, *figures))
        self.measuring_s += time.process_time() - measuring_start_s


def append(table: Path, row: Row) -> None:
    """Append a row to the table, with a header if it is the first, and print it."""
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
    """Return the rows of a table; none if there is no file."""
    if not table.exists():
        return []
    kinds = {"game": str, "algorithm": str, "seconds": float, "exploitability": float}
    with open(table, encoding="utf-8") as file:
        return [Row(**{key: kinds.get(key, int)(value) for key, value in row.items()}) for row in csv.DictReader(file)]


def draw(rows: list[Row], game: str, picture: Path) -> None:
    """Plot exploitability over episodes, one line a seed, beside published curves and the thresholds."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for algorithm in COLOURS:
        seeds = sorted({row.seed for row in rows if row.algorithm == algorithm})
        for seed in seeds:
            seed_rows = [row for row in rows if (row.algorithm, row.seed) == (algorithm, seed)]
            label = f"{algorithm}, {counted(len(seeds), 'seed')}" if seed == seeds[0] else None
            episodes, distances = [row.episodes for row in seed_rows], [row.exploitability for row in seed_rows]
            axes.plot(episodes, distances, color=COLOURS[algorithm], linewidth=1.4, label=label)
        if seeds and (game, algorithm) in THRESHOLDS:
            axes.axhline(THRESHOLDS[game, algorithm], color=COLOURS[algorithm], linewidth=0.8, linestyle=":")
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
    parser.add_argument("--episodes", type=int, default=5_000_000, help="approximate number for each training")
    parser.add_argument("--boards", type=int, default=2048, help="games played at the same time")
    parser.add_argument("--moves", type=int, default=16, help="moves on each board between two updates (mmd)")
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
    passed, game = True, tree.game.label
    for algorithm in arguments.algorithms or list(COLOURS):
        for seed in arguments.seeds:
            done = {(row.game, row.algorithm, row.seed) for row in read(arguments.csv) if row.number == row.snapshots}
            if (game, algorithm, seed) not in done:
                MeasuredTraining(tree, algorithm, seed, arguments).run(arguments.csv)
        last = [
            row.exploitability
            for row in read(arguments.csv)
            if (row.game, row.number, row.algorithm) == (game, row.snapshots, algorithm) and row.seed in arguments.seeds
        ]
        threshold = THRESHOLDS.get((tree.game.name, algorithm))
        target = "" if threshold is None else f", to be below {threshold}"
        print(f"{algorithm}: median over {len(last)} seeds {statistics.median(last):.4f}{target}")
        passed &= threshold is None or statistics.median(last) < threshold
    if arguments.picture:
        draw([row for row in read(arguments.csv) if row.game == game], tree.game.name, arguments.picture)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
