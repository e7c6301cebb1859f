"""`SolveRun`: solving a game in a folder of its own, measured on the way, and carried on where it was killed."""

import csv
import io
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arena.config import require_at_least
from arena.data.batch import Batch
from arena.equilibrium.response import Exploitability, exploitability
from arena.equilibrium.solving import make_solver
from arena.equilibrium.table import Table, require_hidden, save_table
from arena.equilibrium.tree import MOST_POSITIONS, build_tree
from arena.errors import CheckpointError
from arena.runs.folder import RunFolder
from games.engine.game import Game

CURVE = "curve.csv"
SAVE_S = 10.0
"""Seconds of work that a kill may cost, between measurements."""
LOOK_S = 0.5
"""Seconds between two reports of where it is."""


@dataclass(frozen=True)
class SolveOptions:
    """How long and where to solve."""

    iterations: int = 10_000
    """Iterations to be run, each an update of every seat."""
    until: float = 0.0
    """Stop as soon as the exploitability is measured to be at most this."""
    out: Path | None = None
    """Folder of the run; runs/GAME-SOLVER by default."""
    resume: bool = False
    """Go on with the run in that folder, perhaps for more iterations."""
    seed: int = 0
    """Of the solvers that sample."""
    most_positions: int = MOST_POSITIONS
    """Refuse games whose tree has more positions."""

    def __post_init__(self) -> None:
        require_at_least(self, 1, "iterations", "most_positions")
        require_at_least(self, 0, "until", "seed")


@dataclass(frozen=True)
class Measurement:
    """A point of the curve."""

    iterations: int
    seconds: float
    """Of solving alone, over all processes that took part."""
    result: Exploitability


Watch = Callable[[int, float, Measurement | None], None]
"""Is told the iterations done, the rate a second, and the newest measurement when there is a new one."""


class SolveRun:
    """Solves one game.

    The folder holds `run.json` (what was asked for), `curve.csv`, a snapshot for each of its points (a table that
    `tabular:` plays), and `training` (what is needed to go on). It is measured after 1, 2, 5, 10, 20, 50, ...
    iterations and at the end. A run that was killed and goes on ends with the same strategy as one that was not.

    Raises `UsageError` if the game is too large or hides nothing, and if the folder is in use (without `resume`), or
    holds another run (with it).
    """

    def __init__(self, game: Game, algorithm: str, options: SolveOptions):
        require_hidden(game)
        self.folder = options.out or Path("runs") / f"{game.name}-{algorithm}"
        self.solver = make_solver(build_tree(game, options.most_positions), algorithm, options.seed)
        self.curve: list[Measurement] = []
        self._game, self._algorithm, self._options = game, algorithm, options
        self._seconds = 0.0
        self._files = RunFolder(self.folder)
        asked = {"game": game.name, "options": dict(game.options), "solver": algorithm, "seed": options.seed}
        state = self._files.claim(asked, options.resume)
        if state is not None:
            self._restore(state["iterations"], state["seconds"], state["curve"])

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to do."""
        good = bool(self.curve) and self.curve[-1].result.exploitability <= self._options.until
        return good or self.solver.iterations >= self._options.iterations

    def solve(self, watch: Watch) -> Measurement:
        """Go on until there is nothing left to do; returns the last measurement."""
        self.solver.run(0)  # compiles, which is no time of solving
        for stop in self._stops():
            self._run_to(stop, watch)
            self._measure()
            watch(stop, 0.0, self.curve[-1])
            if self.finished:
                break
        return self.curve[-1]

    def _stops(self) -> Iterator[int]:
        """Iterations after which to measure, from where it is."""
        power = 1
        while power < self._options.iterations:
            yield from (n * power for n in (1, 2, 5) if self.solver.iterations < n * power < self._options.iterations)
            power *= 10
        yield self._options.iterations

    def _run_to(self, stop: int, watch: Watch) -> None:
        chunk, saved = 1, time.monotonic()
        while (left := stop - self.solver.iterations) > 0:
            start = time.perf_counter()
            self.solver.run(size := min(chunk, left))
            spent = time.perf_counter() - start
            self._seconds += spent
            chunk = max(1, min(2 * size, int(size * LOOK_S / max(spent, 1e-9))))
            watch(self.solver.iterations, size / max(spent, 1e-9), None)
            if time.monotonic() - saved > SAVE_S and size < left:  # at a stop it is saved with its measurement
                self._save()
                saved = time.monotonic()

    def _measure(self) -> None:
        """Add a point to the curve, and write down the strategy."""
        solver, strategy = self.solver, self.solver.strategy()
        found = Measurement(solver.iterations, self._seconds, exploitability(solver.tree, strategy))
        if self.curve and self.curve[-1].iterations == found.iterations:
            self.curve.pop()
        self.curve.append(found)
        made_by = {
            "solver": self._algorithm,
            "seed": self._options.seed,
            "iterations": solver.iterations,
            "exploitability": found.result.exploitability,
        }
        table = Table.of_strategy(solver.tree, strategy)
        save_table(self._files.snapshot(len(self.curve)), self._game, table, made_by)
        self._save()
        self._write_curve()

    def _save(self) -> None:
        points = [[m.iterations, m.seconds, *m.result.values, *m.result.best_responses] for m in self.curve]
        figures = {"iterations": self.solver.iterations, "seconds": self._seconds, "curve": points}
        self._files.write_state(figures, Batch(self.solver.arrays()))

    def _restore(self, iterations: int, seconds: float, curve: list[list[float]]) -> None:
        arrays, seats = dict(self._files.read_arrays().items()), self._game.num_players
        try:
            self.solver.restore(iterations, arrays)
        except (KeyError, ValueError) as error:
            raise CheckpointError(
                f"{self.folder}: what is kept there of {error.args[0]} does not fit {self._game.label}"
            ) from None
        self._seconds = seconds
        for count, spent, *figures in curve:
            result = Exploitability(np.array(figures[:seats]), np.array(figures[seats:]))
            self.curve.append(Measurement(int(count), spent, result))
        self._write_curve()  # a kill may have come before it was written

    def _write_curve(self) -> None:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        values = [f"value_{agent}" for agent in self._game.agents]
        writer.writerow(["iterations", "seconds", "nash_conv", "exploitability", *values])
        for m in self.curve:
            result = m.result
            writer.writerow([m.iterations, f"{m.seconds:.6f}", result.nash_conv, result.exploitability, *result.values])
        (self.folder / CURVE).write_text(text.getvalue(), encoding="utf-8")
