"""The solver of Connect Four: positions a second, and how long a position takes after the opening."""

import time
from collections.abc import Callable, Iterator
from itertools import cycle

import numpy as np

from agents.perfect.connect_four import ConnectFourSolver
from agents.perfect.connect_four_board import from_state
from arena.match.batch import random_openings
from arena.match.match import Match
from arena.registry import make_game
from benchmarks.measure import NOBODY, Row, Work, rate

GAME = make_game("connect_four")
PLIES = 9
"""Moves played: the first position that no opening book of eight plies knows."""
POSITIONS = 20


def rows() -> Iterator[Row]:
    """Rates on positions after nine random moves; then seconds for each, the table empty before it."""
    yield rate("search", f"Connect Four solver, after {PLIES} random moves", "positions/s", looked_at(), NOBODY)
    name = f"Connect Four solved exactly after {PLIES} random moves: "
    timed = seconds()
    taken = np.array([timed() for _ in range(POSITIONS)])
    for what, figure in (("median", np.median(taken)), ("longest", taken.max())):
        yield Row("search", f"{name}{what} of {POSITIONS}", float(figure), None, NOBODY.name, None, "s")


def positions() -> list[tuple[np.uint64, np.uint64]]:
    """After random moves."""
    openings = random_openings(GAME, PLIES, POSITIONS, seed=1)
    return [from_state(Match(GAME, [("a", None), ("b", None)], opening=opening).state) for opening in openings]


def looked_at() -> Work:
    solver, left = ConnectFourSolver(GAME), cycle(positions())

    def work() -> int:
        before = solver.looked
        solver.forget()
        solver.score(*next(left))
        return solver.looked - before

    return work


def seconds() -> Callable[[], float]:
    solver, left = ConnectFourSolver(GAME), iter(positions())

    def work() -> float:
        solver.forget()
        start = time.process_time()
        solver.score(*next(left))
        return time.process_time() - start

    return work
