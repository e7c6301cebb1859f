"""Solvers by name, and one at work: what it has added up, which any number of calls may carry on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.equilibrium.cfr import CFR, CFR_PLUS, DCFR, LINEAR_CFR, Discount, iterate, match_all
from arena.equilibrium.drawing import Stream
from arena.equilibrium.external_sampling import external_sampling
from arena.equilibrium.outcome_sampling import outcome_sampling
from arena.equilibrium.psro import Psro
from arena.equilibrium.tree import Floats, GameTree
from arena.errors import UnknownNameError

Sampler = Callable[[GameTree, Floats, Floats, Stream, int], None]


@dataclass(frozen=True)
class Algorithm:
    """One way to solve games."""

    summary: str
    method: Discount | Sampler | str
    """A string is a meta-strategy of PSRO."""


ALGORITHMS: Mapping[str, Algorithm] = {
    "cfr": Algorithm("counterfactual regret minimization (Zinkevich et al. 2007)", CFR),
    "cfr+": Algorithm("with regret matching+ and linear averaging (Tammelin 2014)", CFR_PLUS),
    "linear-cfr": Algorithm("regrets and average weighted by the iteration (Brown and Sandholm 2019)", LINEAR_CFR),
    "dcfr": Algorithm("discounted, alpha 3/2, beta 0, gamma 2 (Brown and Sandholm 2019)", DCFR),
    "external-sampling": Algorithm(
        "Monte Carlo CFR: chance and opponents drawn (Lanctot et al. 2009)", external_sampling
    ),
    "outcome-sampling": Algorithm("Monte Carlo CFR: one line drawn (Lanctot et al. 2009)", outcome_sampling),
    "psro-nash": Algorithm("best responses to the pools' equilibrium (Lanctot et al. 2017)", "nash"),
    "psro-prd": Algorithm("best responses to the pools' projected replicator dynamics (Lanctot et al. 2017)", "prd"),
    "psro-alpha-rank": Algorithm("best responses to the pools' alpha-rank (Muller et al. 2020)", "alpha-rank"),
    "psro-uniform": Algorithm("best responses to everything so far: fictitious play (Brown 1951)", "uniform"),
}


def make_solver(tree: GameTree, algorithm: str, seed: int = 0) -> "Solver | Psro":
    """A solver of one game by a name of `ALGORITHMS`; `seed` is of what is drawn, and only sampling draws."""
    if algorithm not in ALGORITHMS:
        raise UnknownNameError("solver", algorithm, ALGORITHMS)
    method = ALGORITHMS[algorithm].method
    return Psro(tree, method) if isinstance(method, str) else Solver(tree, method, seed)


class Solver:
    """Counterfactual regret minimization of one game.

    In two-player zero-sum games its average strategy goes towards an equilibrium. In others it often comes close to
    one, which nothing promises; exploitability says how close.

    Args:
        tree: the game.
        method: how regrets and averages are kept, or what samples them.
        seed: of what is drawn; only sampling draws.

    """

    def __init__(self, tree: GameTree, method: Discount | Sampler = CFR_PLUS, seed: int = 0):
        self.tree = tree
        self.iterations = 0
        """How many were run."""
        self.regrets = np.zeros(tree.num_sequences)
        """[Q]"""
        self.average = np.zeros(tree.num_sequences)
        """[Q], sums of how likely each seat did its part for each sequence, or of estimates of that."""
        self.stream = np.array([seed], np.uint64)
        """[1], where random numbers come from."""
        self._method = method

    def run(self, iterations: int) -> None:
        """Go on for some iterations; two runs of n do what one of 2 n does, to the last bit."""
        if isinstance(self._method, Discount):
            iterate(self.tree, self._method, self.regrets, self.average, self.iterations, iterations)
        else:
            self._method(self.tree, self.regrets, self.average, self.stream, iterations)
        self.iterations += iterations

    def strategy(self) -> Floats:
        """The average strategy so far, [Q]."""
        strategy = np.ones_like(self.average)
        match_all(self.tree.form, self.average, strategy)
        return strategy

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What it takes to go on, besides the number of iterations."""
        return {"regrets": self.regrets, "average": self.average, "stream": self.stream}

    def restore(self, iterations: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what `arrays` gave; `ValueError` if it does not fit the game."""
        for name, own in self.arrays().items():
            if arrays[name].shape != own.shape:
                raise ValueError(name)
        self.iterations = iterations
        self.regrets, self.average, self.stream = arrays["regrets"], arrays["average"], arrays["stream"]
