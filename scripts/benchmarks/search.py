"""The solver of Connect Four: positions a second, and seconds for a position after the opening."""

import time
from collections.abc import Iterator

import numpy as np

from agents.perfect.connect_four import ConnectFourSolver
from agents.perfect.connect_four_board import from_state
from arena.match.batch import random_openings
from arena.match.match import Match
from arena.policy.registry import make_game
from benchmarks.measure import NOBODY, Row

GAME = make_game("connect_four")
PLIES = 9
"""Number of moves played: the first positions not covered by a book of eight plies."""
POSITIONS = 30


def rows() -> Iterator[Row]:
    """Measure processor time; the solver starts each position with empty tables."""
    solver = ConnectFourSolver(GAME)
    openings = random_openings(GAME, PLIES, POSITIONS + 1, seed=1)
    seconds = np.array([seconds_for(solver, opening) for opening in openings])
    rate = solver.num_searched / seconds.sum()  # the first loads the kernels, and weighs little
    yield Row(
        "search", f"Connect Four solver, after {PLIES} random moves", rate, None, NOBODY.name, None, "positions/s"
    )
    name = f"Connect Four, exact score after {PLIES} random moves"
    for what, figure in (("median", np.median(seconds[1:])), ("longest", seconds[1:].max())):
        yield Row("search", f"{name}: {what} of {POSITIONS}", float(figure), None, NOBODY.name, None, "s")


def seconds_for(solver: ConnectFourSolver, opening: tuple[int, ...]) -> float:
    """Return the seconds to solve a position."""
    mover, mask = from_state(Match(GAME, [("a", None), ("b", None)], opening=opening).state)
    solver.forget()
    start = time.process_time()
    solver.score(mover, mask)
    return time.process_time() - start
