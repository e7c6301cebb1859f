"""The solvers of Connect Four and of othello's endgames: positions a second, and seconds for a position."""

import time
from collections.abc import Iterator

import numpy as np

from agents.perfect.connect_four import ConnectFourSolver
from agents.perfect.connect_four_board import from_state
from agents.perfect.othello import OthelloSolver
from arena.match.batch import random_openings
from arena.match.match import Match
from arena.policy.registry import make_game
from benchmarks.measure import NOBODY, Row

GAME = make_game("connect_four")
PLIES = 9
"""Number of moves played: the first positions not covered by a book of eight plies."""
POSITIONS = 30
FFO = {
    40: ("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X--------", "X", 38),
    41: ("-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O-", "X", 0),
    42: ("--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO--", "X", 6),
    43: ("--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXOO----XOX----XXXXX-", "O", -12),
    44: ("--O-X-O---O-XO-O-OOXXXOOOOOOXXXOOOOOXX--XXOOXO----XXXX-----XXX--", "O", -14),
}
"""Endgames by which programs are compared (Fédération Française d'Othello): cells, who moves, and the known lead."""


def rows() -> Iterator[Row]:
    """Measure processor time; the solvers start each position with empty tables."""
    yield from connect_four()
    yield from othello()


def othello() -> Iterator[Row]:
    """Measure the solving of endgames with 20 to 23 empty cells to the last disc."""
    game = make_game("othello")
    for number, (cells, mover, known) in FFO.items():
        sides = (mover, "XO".replace(mover, ""))
        own, other = (np.uint64(sum(1 << i for i, cell in enumerate(cells) if cell == side)) for side in sides)
        solver = OthelloSolver(game)
        start = time.process_time()
        if solver.score(own, other) != known:
            raise AssertionError(f"position {number} has another score than is known")
        seconds = time.process_time() - start
        name = f"othello, exact score of FFO position {number}, {cells.count('-')} empty cells"
        yield Row("search", name, seconds, None, NOBODY.name, None, "s")


def connect_four() -> Iterator[Row]:
    """Measure the solving of positions after the opening."""
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
