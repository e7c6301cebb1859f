"""Check solvers of small games, beside OpenSpiel's: python scripts/solver_checks.py [SECTION ...] [--csv FILE].

    cfr     exploitability after some iterations, ours and OpenSpiel's (extra `bench`)
    psro    NashConv on Kuhn poker by the number of members of all pools, over seeds where payoffs are estimated

Exploitability is NashConv / 2, exact. Rows of scripts/solver_checks.csv become a part of docs/measured/learning.md by
scripts/measured_pages.py.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyspiel
from sections import measure, parse_sections, section_parser

from agents.solvers.psro import Psro
from arena.analysis.response import Exploitability, exploitability
from arena.analysis.solver import make_solver
from arena.analysis.tree import build_tree
from arena.policy.registry import make_game

CFR = (("kuhn_poker", "cfr", (10, 100)), ("leduc_poker", "cfr", (100, 1000)), ("leduc_poker", "cfr+", (100, 1000)))
"""Games, solvers and the iterations after which they are compared."""
PEERS = {"cfr": pyspiel.CFRSolver, "cfr+": pyspiel.CFRPlusSolver}
PSRO = (("nash", 1000, 20), ("nash", 0, 1), ("alpha-rank", 0, 1), ("prd", 0, 1))
"""Meta-strategies, simulated games a payoff (0: exact), and seeds."""
MEMBERS = (4, 10, 30)


@dataclass(frozen=True)
class Row:
    """Distance of one strategy from an equilibrium."""

    section: str
    game: str
    solver: str
    size: int
    """Iterations of CFR, members of all pools of PSRO."""
    ours: str
    """Nine decimals for CFR; a mean over seeds of NashConv, and its standard deviation, for PSRO."""
    peer: str
    """OpenSpiel's figure; empty where it was not measured."""
    seeds: int


def cfr() -> Iterator[Row]:
    """Compare play at random and counterfactual regret minimization."""
    for name in ("kuhn_poker", "leduc_poker"):
        tree, theirs = build_tree(make_game(name)), pyspiel.load_game(name)
        peer = pyspiel.exploitability(theirs, pyspiel.UniformRandomPolicy(theirs))
        yield compared(name, "uniform play", 0, exploitability(tree, tree.uniform()), peer)
    for name, method, sizes in CFR:
        tree, theirs = build_tree(make_game(name)), pyspiel.load_game(name)
        solver, other = make_solver(tree, method), PEERS[method](theirs)
        for size in sizes:
            for _ in range(size - solver.iterations):
                other.evaluate_and_update_policy()
            solver.run(size - solver.iterations)
            peer = pyspiel.exploitability(theirs, other.average_policy())
            yield compared(name, method, size, exploitability(tree, solver.strategy()), peer)


def compared(game: str, solver: str, iterations: int, ours: Exploitability, peer: float) -> Row:
    """Return the row of a strategy of ours beside OpenSpiel's."""
    return Row("cfr", game, solver, iterations, f"{ours.exploitability:.9f}", f"{peer:.9f}", 1)


def psro() -> Iterator[Row]:
    """Grow pools of exact best responses on Kuhn poker."""
    tree = build_tree(make_game("kuhn_poker"))
    for meta, simulations, seeds in PSRO:
        payoffs = f"{simulations:,} games a payoff" if simulations else "exact payoffs"
        values_by_seed = np.array([nash_convs(Psro(tree, meta, simulations, seed)) for seed in range(seeds)])
        for size, values in zip(MEMBERS, values_by_seed.T, strict=True):
            spread = f" ± {values.std(ddof=1):.3f}" if seeds > 1 else ""
            name = f"psro-{meta}, {payoffs}"
            yield Row("psro", "kuhn_poker", name, size, f"{values.mean():.3f}{spread}", "", seeds)


def nash_convs(solver: Psro) -> list[float]:
    """Return NashConv at each size of the pools."""
    values = []
    for size in MEMBERS:
        while solver.num_members < size and solver.iterations < size:
            solver.run(1)
        values.append(exploitability(solver.tree, solver.strategy()).nash_conv)
    return values


SECTIONS = {"cfr": cfr, "psro": psro}


def main() -> int:
    options = parse_sections(section_parser(__doc__, SECTIONS), SECTIONS)
    measure(options, lambda name: SECTIONS[name](), text)
    return 0


def text(row: Row) -> str:
    return f"{row.game}  {row.solver}  {row.size}  {row.ours}  {row.peer}"


if __name__ == "__main__":
    sys.exit(main())
