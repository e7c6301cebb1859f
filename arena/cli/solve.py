"""`arena solve`: an equilibrium of a small game of hidden information."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, make_dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from arena.analysis.solver import solver_kind, solvers_of
from arena.analysis.tree import TooLargeError
from arena.base.errors import UsageError
from arena.base.terminal import make_console, suspendable
from arena.cli.resuming import resume_command, resumed_run
from arena.policy.registry import make_game
from arena.training.solve_run import Measurement, SolveOptions, SolveRun, default_folder, stored_options
from arena.training.stored import RunDescription

GameName = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="GAME")]
Solver = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="SOLVER")]


@dataclass(frozen=True)
class Options:
    """Solve a game of hidden information, and save the strategy for the agent tabular:DIR or buckets:DIR.

    Solvers: cfr, cfr+, linear-cfr, dcfr, external-sampling, outcome-sampling (counterfactual regret minimization);
    psro-nash, psro-prd, psro-alpha-rank, psro-uniform (best responses to mixtures of earlier strategies). In two-player
    zero-sum games they converge to an equilibrium; the exploitability, measured exactly on the way, is the distance.
    They hold the whole tree, and so solve small games. texas_holdem is solved by public-chance, which plays hands of
    about the same strength alike; what a local best response wins from it, in 200 games, is measured on the way.
    """

    game: GameName
    """Game, with options after its name: kuhn_poker:players=3."""
    solver: Solver = "cfr+"
    """Solver, one of those above."""
    run: SolveOptions = field(default_factory=SolveOptions)


def options_for(arguments: Sequence[str]) -> type:
    """Return the options class; where a run is resumed, its own options are the defaults."""
    stored = resumed_run("solve", arguments, lambda: _usual_folder(arguments))
    if stored is None:
        return Options
    fields: list[tuple[str, Any, Any]] = [
        ("game", GameName, field(default=stored.task)),
        ("solver", Solver, field(default=stored.algorithm)),
        ("run", SolveOptions, field(default=stored_options(stored))),
    ]
    extended = make_dataclass("Options", fields, bases=(Options,), frozen=True)
    extended.__doc__ = Options.__doc__
    return extended


def _usual_folder(words: Sequence[str]) -> Path | None:
    """Return the default folder of the run that a command line names; None if it names no game."""
    game, solver, *_ = *takewhile(lambda word: not word.startswith("-"), words), "", ""
    return default_folder(make_game(game), solver or "cfr+") if game else None


def run(options: Options) -> int:
    """Solve the game and print a table of measurements; return the exit status."""
    if options.run.resume and options.game == str(options.run.out):
        options = replace(options, game=RunDescription.read(Path(options.game)).task)
    game = make_game(options.game)
    try:
        work = SolveRun(game, options.solver, options.run)
    except TooLargeError as error:
        others = solvers_of(game.name)
        raise UsageError(f"{error}{f'; {others[0]} solves it otherwise' if others else ''}") from None
    if work.finished:
        print(f"{work.folder}: this run is finished; its strategy is {work.solver.agent}:{work.folder}")
        return 0
    solver = work.solver
    print(f"{work.game.label}: {solver.size_text}; {solver_kind(options.solver).summary}")
    measured = "exploitability   values" if solver.measures_exactly else "       at least"
    print(f"{'iterations':>12} {'seconds':>9} {measured:>15}")
    bar = _Bar(options.run.iterations, solver.measures_exactly)
    with bar.progress, suspendable(bar.progress.console):
        try:
            last = work.solve(bar.show)
        except KeyboardInterrupt:
            print(
                f"\nstopped; resume with: {resume_command('solve', work.folder, game.spec, options.solver)}",
                file=sys.stderr,
            )
            raise
    agent, distance = f"{solver.agent}:{work.folder}", f"{last.result.exploitability:.3g}"
    if solver.measures_exactly:
        print(f"{agent} plays within {distance} of an equilibrium")
    else:
        print(f"a local best response wins {distance} a game from {agent}; 'arena exploitability --local' plays more")
    return 0


class _Bar:
    """A progress bar on a terminal, and one line for each measurement."""

    def __init__(self, iterations: int, exact: bool):
        self._exact = exact
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
        values = "  ".join(f"{value:+.6f}" for value in result.values) if self._exact else ""
        print(f"{done:>12,} {measured.seconds:>9.2f} {result.exploitability:>15.9f}   {values}")
