"""Check that every algorithm learns: each is trained on its tasks from several seeds and compared with a threshold.

    python scripts/learning_checks.py [ALGORITHM ...] [--task TASK] [--seeds 0 1 2] [--csv FILE] [--json FILE]

A training runs on one thread of a CPU; a task is passed if the median of the scores over the seeds reaches its
threshold. The modules of `scripts/learning` define the scores and the trainings.
"""

import argparse
import csv
import dataclasses
import json
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from learning import cartpole, offline, pendulum, self_play, tabular, tic_tac_toe, tutorial
from learning.running import Check

CHECKS: list[Check] = [*cartpole.ROWS, *pendulum.ROWS, *offline.ROWS, *tabular.ROWS, *tic_tac_toe.ROWS]
CHECKS += [*self_play.ROWS, *tutorial.ROWS]


@dataclasses.dataclass(frozen=True)
class Row:
    """Result of a check: medians over the seeds."""

    algorithm: str
    task: str
    threshold: float
    score: float
    passed: bool
    scores: tuple[float, ...]
    """Score of each seed, in the order given."""
    steps: int
    """Environment steps; offline, gradient steps."""
    seconds: float
    """CPU time of this process, data of offline algorithms excluded."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = sorted({check.algorithm for check in CHECKS})
    parser.add_argument("algorithms", nargs="*", metavar="ALGORITHM", help=f"{', '.join(known)}; all without one")
    parser.add_argument("--task", action="append", help="only these tasks")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the table there; rows of other checks stay")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there")
    arguments = parser.parse_args()
    for name in arguments.algorithms:
        if name not in known:
            parser.error(f"unknown algorithm {name!r}; known: {', '.join(known)}")
    named = [check for check in CHECKS if not arguments.algorithms or check.algorithm in arguments.algorithms]
    chosen = [check for check in named if not arguments.task or check.task in arguments.task]
    if not chosen:
        tasks = ", ".join(sorted({check.task for check in named}))
        wanted = ", ".join(map(repr, arguments.task))
        parser.error(
            f"nothing to check: {', '.join(arguments.algorithms) or 'nobody'} has no task {wanted}, but {tasks}"
        )
    rows = []
    print(f"{'algorithm':14} {'task':26} {'threshold':>9} {'score':>8} {'steps':>9} {'seconds':>8}")
    for check in chosen:
        rows.append(run(check, arguments.seeds))
        print(text(rows[-1]), flush=True)
        if arguments.csv:
            write_csv(arguments.csv, rows)
    if arguments.json:
        arguments.json.write_text(json.dumps([dataclasses.asdict(row) for row in rows], indent=2), encoding="utf-8")
    return 0 if all(row.passed for row in rows) else 1


def run(check: Check, seeds: Sequence[int]) -> Row:
    """Train once a seed."""
    check.prepare()
    outcomes, seconds = [], []
    for seed in seeds:
        start = time.process_time()
        outcomes.append(check.train(seed))
        seconds.append(time.process_time() - start)
    scores = tuple(round(outcome.score, 4) for outcome in outcomes)
    score = statistics.median(scores)
    steps = int(statistics.median(outcome.steps for outcome in outcomes))
    spent = round(statistics.median(seconds), 1)
    return Row(check.algorithm, check.task, check.threshold, score, score >= check.threshold, scores, steps, spent)


def text(row: Row) -> str:
    """Return a row as one line of text."""
    verdict = "" if row.passed else "  not reached"
    figures = f"{row.threshold:9g} {row.score:8.4g} {row.steps:9,} {row.seconds:8.0f}"
    return f"{row.algorithm:14} {row.task:26} {figures}  {', '.join(f'{s:.4g}' for s in row.scores)}{verdict}"


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write the rows into a table, replacing older ones of the same checks."""
    names = [field.name for field in dataclasses.fields(Row)]
    table: dict[tuple[str, str], dict[str, object]] = {}
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            table = {(line["algorithm"], line["task"]): dict(line) for line in csv.DictReader(file)}
    for row in rows:
        scores = " ".join(f"{score:g}" for score in row.scores)
        table[row.algorithm, row.task] = dataclasses.asdict(row) | {"scores": scores}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table.values())


if __name__ == "__main__":
    sys.exit(main())
