"""`SolveRun`: solving a game in a folder of its own, measured on the way, resumed after an interruption."""

import csv
import io
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from arena.analysis.response import Exploitability
from arena.analysis.solver import solver_kind
from arena.analysis.table import require_hidden
from arena.analysis.tree import MOST_POSITIONS
from arena.base.checks import numbers_in, require_at_least
from arena.base.errors import CheckpointError
from arena.base.saving import replace_text
from arena.base.text import file_name
from arena.base.typed import Count, Time, record
from arena.data.batch import Batch
from arena.training.folder import RunFolder
from arena.training.options import RESOURCES
from arena.training.stored import RunDescription
from games.engine.game import Game
from games.engine.source_files import short_name

CURVE = "curve.csv"
BOUND = "exploitability_at_least"
"""Name of the exploitability in the description of a snapshot, where it is a lower bound."""
LENGTH_OF_SOLVING = "iterations", "until", "most_positions"
"""Options that a resumed run may change: its iterations do not depend on them."""
SAVE_S = 10.0
"""Seconds between two saves: the most work that is lost when the process is killed."""
REPORT_S = 0.5
"""Seconds between two progress reports."""


@dataclass(frozen=True)
class SolveOptions:
    """Length and place of a solver's run."""

    iterations: int = 10_000
    """Number of iterations; each updates every seat."""
    until: float = 0.0
    """Stop when the measured exploitability is at most this."""
    out: Path | None = None
    """Folder of the run; by default runs/GAME-SOLVER."""
    resume: bool = False
    """Resume the run in that folder, with the options that it has; more iterations make it longer."""
    seed: int = 0
    """Random seed of the solvers that sample."""
    most_positions: int = MOST_POSITIONS
    """Refuse games whose tree has more positions than this."""

    def __post_init__(self) -> None:
        require_at_least(1, **numbers_in(self, "iterations", "most_positions"))
        require_at_least(0, **numbers_in(self, "until", "seed"))


@dataclass(frozen=True)
class SolvedSoFar:
    """The figures in the saved state of a solver's run."""

    iterations: Count
    seconds: Time
    """Time spent solving, without measurements."""
    curve: list[list[float]]
    """For each measurement its iterations, seconds, values by seat, and best responses by seat."""


@dataclass(frozen=True)
class Measurement:
    """A point of the curve."""

    iterations: int
    seconds: float
    """Time spent solving, without measurements, over all processes of the run."""
    result: Exploitability


Watch = Callable[[int, float, Measurement | None], None]
"""Called with the iterations done, the iterations per second, and a new measurement or None."""


def default_folder(game: Game, algorithm: str) -> Path:
    """Return the default folder of a solver's run."""
    return Path("runs") / f"{file_name(short_name(game.name))}-{algorithm}"


def stored_options(stored: RunDescription) -> SolveOptions:
    """Return the options of a solver's run as it has them."""
    return replace(stored.options("run", SolveOptions()), seed=stored.value("seed", int), out=stored.folder)


class SolveRun:
    """Solves one game in a run folder.

    The folder holds `run.json` (the options), `curve.csv`, a snapshot for each point of the curve (which the solver's
    agent plays, `tabular:` for most), and `training` (the state to resume from). The exploitability, or a bound of it,
    is measured after 1, 2, 5, 10, 20, 50, ... iterations and at the end. A resumed run ends with the same strategy as
    an uninterrupted one.

    Raises `UsageError` if the game is too large or hides nothing, if the folder is in use (without `resume`), or if it
    holds another run (with `resume`).
    """

    def __init__(self, game: Game, algorithm: str, options: SolveOptions):
        require_hidden(game)
        self.folder = options.out or default_folder(game, algorithm)
        self.solver = solver_kind(algorithm).begin(game, options.seed, options.most_positions)
        self.curve: list[Measurement] = []
        self.game, self._algorithm, self._options = game, algorithm, options
        self._seconds = 0.0
        self._files = RunFolder(self.folder)
        length = {name: getattr(options, name) for name in LENGTH_OF_SOLVING}
        description = {
            "game": game.name,
            "options": dict(game.options),
            "solver": algorithm,
            "seed": options.seed,
            RESOURCES: length,
        }
        state = self._files.claim(description, options.resume)
        if state is not None:
            with self._files.as_checkpoint_errors():
                self._restore(record(SolvedSoFar, {key: state[key] for key in ("iterations", "seconds", "curve")}))
        self._files.confirm()
        if self.curve:
            self._write_curve()  # the process may have been killed before it was written

    @property
    def finished(self) -> bool:
        """True if all iterations are done or the exploitability is low enough."""
        until = self._options.until
        may_converge = self.solver.measures_exactly or until > 0  # a bound from games may be 0 by chance
        converged = may_converge and bool(self.curve) and self.curve[-1].result.exploitability <= until
        return converged or self.solver.iterations >= self._options.iterations

    def solve(self, watch: Watch) -> Measurement:
        """Solve until the run is finished; return the last measurement."""
        self.solver.run(0)  # compiles; that is not counted as solving
        for stop in self._stops():
            self._run_to(stop, watch)
            self._measure()
            watch(stop, 0.0, self.curve[-1])
            if self.finished:
                break
        return self.curve[-1]

    def _stops(self) -> Iterator[int]:
        """Yield the iterations after which to measure, from the current one on."""
        power = 1
        while power < self._options.iterations:
            yield from (n * power for n in (1, 2, 5) if self.solver.iterations < n * power < self._options.iterations)
            power *= 10
        yield self._options.iterations

    def _run_to(self, stop: int, watch: Watch) -> None:
        chunk, save_time = 1, time.monotonic()
        while (remaining := stop - self.solver.iterations) > 0:
            start = time.perf_counter()
            self.solver.run(size := min(chunk, remaining))
            spent = time.perf_counter() - start
            self._seconds += spent
            chunk = max(1, min(2 * size, int(size * REPORT_S / max(spent, 1e-9))))
            watch(self.solver.iterations, size / max(spent, 1e-9), None)
            if time.monotonic() - save_time > SAVE_S and size < remaining:  # `_measure` saves at a stop
                self._save()
                save_time = time.monotonic()

    def _measure(self) -> None:
        """Add a point to the curve, and write the strategy as a snapshot."""
        solver = self.solver
        measurement = Measurement(solver.iterations, self._seconds, solver.measure())
        if self.curve and self.curve[-1].iterations == measurement.iterations:
            self.curve.pop()
        self.curve.append(measurement)
        made_by = {
            "solver": self._algorithm,
            "seed": self._options.seed,
            "iterations": solver.iterations,
            "exploitability" if solver.measures_exactly else BOUND: measurement.result.exploitability,
        }
        solver.save(self._files.snapshot(len(self.curve)), made_by)
        self._save()
        self._write_curve()

    def _save(self) -> None:
        points = [[m.iterations, m.seconds, *m.result.values, *m.result.best_responses] for m in self.curve]
        figures = {"iterations": self.solver.iterations, "seconds": self._seconds, "curve": points}
        self._files.write_state(figures, Batch(dict(self.solver.state_dict())))

    def _restore(self, state: "SolvedSoFar") -> None:
        arrays, seats = dict(self._files.read_arrays().items()), self.game.num_players
        try:
            self.solver.load_state_dict(state.iterations, arrays)
        except (KeyError, ValueError) as error:
            raise CheckpointError(f"{self.folder}: the saved {error.args[0]} does not fit {self.game.label}") from None
        self._seconds = state.seconds
        for count, spent, *figures in state.curve:
            if len(figures) != 2 * seats:
                raise CheckpointError(f"{self.folder}: a point of the curve has {len(figures)} values, not {2 * seats}")
            result = Exploitability(np.array(figures[:seats]), np.array(figures[seats:]))
            self.curve.append(Measurement(int(count), spent, result))

    def _write_curve(self) -> None:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        values = [f"value_{agent}" for agent in self.game.agents]
        writer.writerow(["iterations", "seconds", "nash_conv", "exploitability", *values])
        for m in self.curve:
            result = m.result
            writer.writerow([m.iterations, f"{m.seconds:.6f}", result.nash_conv, result.exploitability, *result.values])
        replace_text(self.folder / CURVE, text.getvalue())
