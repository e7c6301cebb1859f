"""Solvers of small games beside OpenSpiel's in C++: iterations a second, and exact exploitability; one core."""

from collections.abc import Iterator

from arena.analysis.response import exploitability
from arena.analysis.solver import make_solver
from arena.analysis.tree import build_tree
from benchmarks.elsewhere import process
from benchmarks.measure import NOBODY, Row, Work, rate
from games.engine.registry import make_game

GAMES = ("kuhn_poker", "leduc_poker")
SOLVERS = ("cfr", "cfr+", "external-sampling", "outcome-sampling")


def rows() -> Iterator[Row]:
    """Measure iterations (an update of every seat), and computations of exploitability, a second."""
    for name in GAMES:
        for solver in SOLVERS:
            with process("OpenSpiel, C++", "pyspiel", "solve_open_spiel.py", solver, name) as peer:
                yield rate("equilibrium", f"{name}: {solver}", "iterations/s", iterations(name, solver), peer, rounds=3)
    for name in GAMES:
        with process("OpenSpiel, C++", "pyspiel", "solve_open_spiel.py", "exploitability", name) as peer:
            work = f"{name}: exact exploitability"
            yield rate("equilibrium", work, "computations/s", responses(name), peer, rounds=3)
            work = f"{name}: exact exploitability, the tree written out anew each time"
            yield rate("equilibrium", work, "computations/s", responses(name, new_solver=True), peer, rounds=3)
    yield rate(
        "equilibrium", "liars_dice:dice=1: cfr+", "iterations/s", iterations("liars_dice:dice=1", "cfr+"), NOBODY
    )


def iterations(name: str, algorithm: str) -> Work:
    """Iterate one solver in rounds of about a tenth of a second."""
    solver = make_solver(build_tree(make_game(name)), algorithm)
    count = max(1, 20_000_000 // (len(solver.tree.nodes) * (1 if algorithm.endswith("sampling") else 10)))

    def run() -> int:
        solver.run(count)
        return count

    return run


def responses(name: str, new_solver: bool = False) -> Work:
    """Compute values and best responses of the strategy after one iteration of CFR."""
    game = make_game(name)
    tree = build_tree(game)
    solver = make_solver(tree, "cfr")
    solver.run(1)
    strategy = solver.strategy()

    def compute() -> int:
        exploitability(build_tree(game) if new_solver else tree, strategy)
        return 1

    return compute
