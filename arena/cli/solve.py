"""`arena solve`: an equilibrium of a small game of hidden information."""

import sys
from dataclasses import dataclass, field
from typing import Annotated

import tyro
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from arena.analysis.solver import solver_kind
from arena.base.terminal import make_console
from arena.policy.registry import make_game
from arena.runs.solve_run import Measurement, SolveOptions, SolveRun


@dataclass(frozen=True)
class Options:
    """Solve a small game of hidden information, and save the strategy for the agent tabular:DIR.

    Solvers: cfr, cfr+, linear-cfr, dcfr, external-sampling, outcome-sampling (counterfactual regret minimization);
    psro-nash, psro-prd, psro-alpha-rank, psro-uniform (best responses to mixtures of earlier strategies). In two-player
    zero-sum games they converge to an equilibrium; the exploitability, measured exactly on the way, is the distance.
    """

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")]
    """Game, with options after its name: kuhn_poker:players=3."""
    solver: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="SOLVER")] = "cfr+"
    """Solver, one of those above."""
    run: SolveOptions = field(default_factory=SolveOptions)


def run(options: Options) -> int:
    """Solve the game and print a table of measurements; return the exit status."""
    work = SolveRun(make_game(options.game), options.solver, options.run)
    if work.finished:
        print(f"{work.folder}: this run is finished; its strategy is tabular:{work.folder}")
        return 0
    tree = work.solver.tree
    print(
        f"{tree.game.label}: {len(tree.nodes):,} positions, {tree.num_states:,} information states; "
        f"{solver_kind(options.solver).summary}"
    )
    print(f"{'iterations':>12} {'seconds':>9} {'exploitability':>15}   values")
    bar = _Bar(options.run.iterations)
    with bar.progress:
        try:
            last = work.solve(bar.show)
        except KeyboardInterrupt:
            resume = "" if options.run.resume else " --resume"
            print(f"\nstopped; resume with: arena {' '.join(sys.argv[1:])}{resume}", file=sys.stderr)
            raise
    print(f"tabular:{work.folder} plays within {last.result.exploitability:.3g} of an equilibrium")
    return 0


class _Bar:
    """A progress bar on a terminal, and one line for each measurement."""

    def __init__(self, iterations: int):
        console = make_console(stderr=True)
        self.progress = Progress(
            BarColumn(bar_width=None),
            TextColumn("{task.percentage:3.0f}%"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[rate]}"),
            console=console,
            disable=not console.is_terminal,
            transient=True,
            expand=True,
        )
        self._task = self.progress.add_task("", total=iterations, rate="")

    def show(self, done: int, rate: float, measured: Measurement | None) -> None:
        """Show the progress, or print a measurement."""
        if measured is None:
            self.progress.update(self._task, completed=done, rate=f"{rate:,.0f} iterations/s")
            return
        result = measured.result
        values = "  ".join(f"{value:+.6f}" for value in result.values)
        print(f"{done:>12,} {measured.seconds:>9.2f} {result.exploitability:>15.9f}   {values}")
