"""Solvers of games: their protocols and their registry."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from arena.analysis.response import Exploitability, exploitability
from arena.analysis.table import TABULAR, StrategyTable, save_table
from arena.analysis.tree import Floats, GameTree, build_tree
from arena.base.errors import UsageError
from arena.policy.registry import SOLVERS
from games.engine.game import Game


class TreeSolver(Protocol):
    """A solver of one game by its whole tree, which can be run in steps."""

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


class GameSolver(Protocol):
    """A solver of one game that measures and saves what it has found; by its tree or in another way."""

    agent: ClassVar[str]
    """Name of the agent that plays what it saves."""
    measures_exactly: ClassVar[bool]
    """True if it measures the exploitability itself, not a lower bound."""

    @property
    def iterations(self) -> int:
        """Iterations run so far."""

    @property
    def size_text(self) -> str:
        """The size of the game in words."""

    def run(self, iterations: int) -> None:
        """Run further iterations; two runs of n give exactly the result of one run of 2 n."""

    def measure(self) -> Exploitability:
        """Return how far the strategy so far is from an equilibrium."""

    def save(self, folder: Path, config: Mapping[str, Any]) -> None:
        """Write the strategy so far as a checkpoint; `config` records how it was made."""

    def state_dict(self) -> Mapping[str, NDArray[Any]]:
        """Return the arrays needed to resume, besides the number of iterations."""

    def load_state_dict(self, iterations: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Resume from the arrays of `state_dict`; `ValueError` if they do not fit the game."""


class WholeTree:
    """A `GameSolver` of a solver of trees."""

    agent: ClassVar[str] = TABULAR
    measures_exactly: ClassVar[bool] = True

    def __init__(self, tree_solver: TreeSolver):
        self.tree_solver = tree_solver
        self.run, self.state_dict = tree_solver.run, tree_solver.state_dict
        self.load_state_dict = tree_solver.load_state_dict

    @property
    def iterations(self) -> int:
        """Iterations run so far."""
        return self.tree_solver.iterations

    @property
    def size_text(self) -> str:
        """The size of the tree in words."""
        tree = self.tree_solver.tree
        return f"{len(tree.nodes):,} positions, {tree.num_states:,} information states"

    def measure(self) -> Exploitability:
        """Return the exploitability of the strategy so far."""
        return exploitability(self.tree_solver.tree, self.tree_solver.strategy())

    def save(self, folder: Path, config: Mapping[str, Any]) -> None:
        """Write the strategy so far as a table."""
        tree = self.tree_solver.tree
        save_table(folder, tree.game, StrategyTable.of_strategy(tree, self.tree_solver.strategy()), config)


@dataclass(frozen=True)
class SolverKind:
    """One registered name of a solver of one game."""

    summary: str
    """Description in a line, with the paper."""
    game: str
    """Name of the game."""
    make: Callable[[Game, int], GameSolver]
    """Makes a solver of a game; the number seeds its sampling."""

    def begin(self, game: Game, seed: int, most_positions: int) -> GameSolver:
        """Return a solver of a game, whose tree is not made."""
        return self.make(game, seed)


@dataclass(frozen=True)
class TreeSolverKind:
    """One registered name of a solver of trees."""

    summary: str
    """Description in a line, with the paper."""
    make: Callable[[GameTree, int], TreeSolver]
    """Makes a solver of a tree; the number seeds its sampling."""

    def begin(self, game: Game, seed: int, most_positions: int) -> GameSolver:
        """Return a solver of a game; `UsageError` if its tree has more positions than these."""
        return WholeTree(self.make(build_tree(game, most_positions), seed))


def solver_kind(name: str) -> SolverKind | TreeSolverKind:
    """Return the solver registered under `name`; `UnknownNameError` if there is none."""
    kind: SolverKind | TreeSolverKind = SOLVERS.load(name)
    return kind


def solvers_of(name: str) -> list[str]:
    """Return the names of the solvers that are made for the game of a name."""
    kinds = {solver: solver_kind(solver) for solver in SOLVERS.names()}
    return [solver for solver, kind in kinds.items() if isinstance(kind, SolverKind) and kind.game == name]


def make_solver(tree: GameTree, name: str, seed: int = 0) -> TreeSolver:
    """Make a solver of a tree by its name; only solvers that sample use `seed`."""
    kind = solver_kind(name)
    if not isinstance(kind, TreeSolverKind):
        raise UsageError(f"{name} does not solve trees; 'arena solve {tree.game.spec} {name}' says what it solves")
    return kind.make(tree, seed)


def require_like(own: Mapping[str, NDArray[Any]], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raise `ValueError`, with a name, unless `arrays` have the shapes and dtypes of `own` and are finite."""
    for name, array in own.items():
        given = arrays[name]
        if (given.shape, given.dtype) != (array.shape, array.dtype) or not np.isfinite(given).all():
            raise ValueError(name)
