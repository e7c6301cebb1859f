"""Solvers of trees that `arena solve` finds by name: counterfactual regret minimization and PSRO."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.solvers.cfr import CFR, CFR_PLUS, DCFR, LINEAR_CFR, Discount, iterate
from agents.solvers.drawing import Stream
from agents.solvers.external_sampling import external_sampling
from agents.solvers.outcome_sampling import outcome_sampling
from agents.solvers.psro import Psro
from arena.analysis.matching import match_all
from arena.analysis.solver import TreeSolver, TreeSolverKind, require_like
from arena.analysis.tree import Floats, GameTree

Sampler = Callable[[GameTree, Floats, Floats, Stream, int], None]


class RegretSolver:
    """Counterfactual regret minimization of one game.

    In two-player zero-sum games the average strategy converges to an equilibrium. In other games it often comes close
    to one, without a guarantee; exploitability measures how close.

    Args:
        tree: the game.
        method: the discounts of a full-width method, or a sampling method.
        seed: seed of a sampling method.

    """

    def __init__(self, tree: GameTree, method: Discount | Sampler = CFR_PLUS, seed: int = 0):
        self.tree = tree
        self.iterations = 0
        """Number of iterations run."""
        self.regrets = np.zeros(tree.num_sequences)
        """Cumulative regrets, [Q]."""
        self.average = np.zeros(tree.num_sequences)
        """Cumulative realization plans, or unbiased estimates of them, [Q]."""
        self.stream = np.array([seed], np.uint64)
        """State of the random stream, [1]."""
        self._method = method

    def run(self, iterations: int) -> None:
        """Run further iterations; two runs of n equal one run of 2 n, to the last bit."""
        if isinstance(self._method, Discount):
            iterate(self.tree, self._method, self.regrets, self.average, self.iterations, iterations)
        else:
            self._method(self.tree, self.regrets, self.average, self.stream, iterations)
        self.iterations += iterations

    def strategy(self) -> Floats:
        """Return the average strategy so far, [Q]."""
        strategy = np.ones_like(self.average)
        match_all(self.tree.form, self.average, strategy)
        return strategy

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Return what is needed to resume, except for the number of iterations."""
        return {"regrets": self.regrets, "average": self.average, "stream": self.stream}

    def load_state_dict(self, iterations: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Resume from a `state_dict`; raise `ValueError` if it does not fit the game or is not finite."""
        require_like(self.state_dict(), arrays)
        self.iterations = iterations
        self.regrets, self.average, self.stream = arrays["regrets"], arrays["average"], arrays["stream"]


def _regret(summary: str, method: Discount | Sampler) -> TreeSolverKind:
    """Register a method of regret minimization."""

    def make(tree: GameTree, seed: int) -> TreeSolver:
        return RegretSolver(tree, method, seed)

    return TreeSolverKind(summary, make)


def _psro(summary: str, meta: str) -> TreeSolverKind:
    """Register PSRO with a meta-strategy."""

    def make(tree: GameTree, seed: int) -> TreeSolver:
        return Psro(tree, meta, seed=seed)

    return TreeSolverKind(summary, make)


PLAIN = _regret("counterfactual regret minimization (Zinkevich et al. 2007)", CFR)
PLUS = _regret("with regret matching+ and linear averaging (Tammelin 2014)", CFR_PLUS)
LINEAR = _regret("regrets and average weighted by the iteration (Brown and Sandholm 2019)", LINEAR_CFR)
DISCOUNTED = _regret("discounted, alpha 3/2, beta 0, gamma 2 (Brown and Sandholm 2019)", DCFR)
EXTERNAL = _regret("Monte Carlo CFR: chance and opponents drawn (Lanctot et al. 2009)", external_sampling)
OUTCOME = _regret("Monte Carlo CFR: one line drawn (Lanctot et al. 2009)", outcome_sampling)
NASH = _psro("best responses to the pools' equilibrium (Lanctot et al. 2017)", "nash")
PRD = _psro("best responses to the pools' projected replicator dynamics (Lanctot et al. 2017)", "prd")
ALPHA_RANK = _psro("best responses to the pools' alpha-rank (Muller et al. 2020)", "alpha-rank")
UNIFORM = _psro("best responses to everything so far: fictitious play (Brown 1951)", "uniform")
