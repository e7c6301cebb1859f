"""Solvers of small games: their protocol and their registry."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from arena.analysis.tree import Floats, GameTree
from arena.policy.registry import SOLVERS


class TreeSolver(Protocol):
    """A solver of one game that can be run in steps."""

    tree: GameTree
    iterations: int
    """Iterations run so far."""

    def run(self, iterations: int) -> None:
        """Run further iterations; two runs of n give exactly the result of one run of 2 n."""

    def strategy(self) -> Floats:
        """Return the strategy so far, [Q]."""

    def state_dict(self) -> Mapping[str, NDArray[Any]]:
        """Return the arrays needed to resume, besides the number of iterations."""

    def load_state_dict(self, iterations: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Resume from the arrays of `state_dict`; `ValueError` if they do not fit the game."""


@dataclass(frozen=True)
class SolverKind:
    """One registered name of a solver."""

    summary: str
    """Description in a line, with the paper."""
    make: Callable[[GameTree, int], TreeSolver]
    """Makes a solver of a game; the number seeds its sampling."""


def solver_kind(name: str) -> SolverKind:
    """Return the solver registered under `name`; `UnknownNameError` if there is none."""
    kind: SolverKind = SOLVERS.load(name)
    return kind


def make_solver(tree: GameTree, name: str, seed: int = 0) -> TreeSolver:
    """Make a solver of one game by its name; only solvers that sample use `seed`."""
    return solver_kind(name).make(tree, seed)
