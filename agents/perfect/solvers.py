"""Solvers of games, by their names: what they can say, and which there are."""

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from agents.perfect.connect_four import ConnectFourSolver
from agents.perfect.gomoku import GomokuSolver
from agents.perfect.kalah import KalahSolver
from agents.perfect.othello import OthelloSolver
from agents.perfect.pig import PigSolver
from agents.perfect.tic_tac_toe import TicTacToeSolver
from agents.search.time_management import seconds_for
from arena.data.batch import Batch
from arena.policy.clock import read_clock
from games.engine.game import Game, State


class MoveSolver(Protocol):
    """Protocol of a solver that knows the best moves of some positions of one game."""

    def seconds(self, state: State) -> float:
        """Return about how many seconds `best` takes for an unfinished position, at most; inf if it finds nothing."""

    def best(self, state: State) -> tuple[NDArray[np.bool_], float] | None:
        """Return the best actions [A] of an unfinished position and the return they lead to; None if unknown.

        A return of nan says only that all other actions lose.
        """


class PerfectSolver(MoveSolver, Protocol):
    """Protocol of an exact solver of one game."""

    def value(self, state: State) -> float | None:
        """Return the return of an unfinished position for the seat to move; None if computing it takes long."""


class ForcedWinSolver(MoveSolver, Protocol):
    """Protocol of a solver that finds forced wins, and knows nothing of other positions."""

    def refutation(self, state: State, action: int) -> int | None:
        """Return the first move of a forced win that an action leaves to the opponent; None if none is found."""


SOLVERS: dict[str, Callable[[Game], PerfectSolver]] = {
    "connect_four": ConnectFourSolver,
    "tic_tac_toe": TicTacToeSolver,
    "othello": OthelloSolver,
    "kalah": KalahSolver,
    "pig": PigSolver,
}
"""Solvers of all results, at least in the endgame."""
FORCED: dict[str, Callable[[Game], ForcedWinSolver]] = {"gomoku": GomokuSolver}
"""Solvers of forced wins alone."""


def seconds_by_clock(game: Game, obs: Batch, row: int) -> float:
    """Return the seconds that a clock has for the move in one row of observations; inf where it limits nothing."""
    clock = read_clock(obs, row)
    seconds = None if clock is None else seconds_for(game, clock)
    return math.inf if seconds is None else seconds
