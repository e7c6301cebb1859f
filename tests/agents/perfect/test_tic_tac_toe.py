"""The tic-tac-toe solver: brute force, and boards whose results are known."""

import numpy as np
import pytest

import games
from agents.perfect.tic_tac_toe import TicTacToeSolver, winning_lines
from arena.base.errors import UsageError
from tests.agents.perfect import brute_force

pytestmark = pytest.mark.full


@pytest.mark.parametrize(("options", "left"), [({}, 9), ({"m": 4, "n": 4, "k": 4}, 9)])
def test_it_agrees_with_brute_force(options, left):
    game = games.make("tic_tac_toe", **options)
    solver = TicTacToeSolver(game)
    states = brute_force.late_positions(game, 300, left=left, seed=1)
    for state, values in zip(states, brute_force.values(game, states), strict=True):
        best, result = solver.best(state)
        assert result == np.sign(values.max())
        assert (best == (values == values.max())).all()


@pytest.mark.parametrize(
    ("m", "n", "k", "score"),
    [
        (3, 3, 3, 0),
        (4, 4, 4, 0),
        (4, 5, 4, 0),
        (5, 4, 4, 0),
        (3, 4, 3, 3),
        (4, 4, 3, 6),
        (1, 1, 1, 1),
        (2, 2, 2, 1),
        (1, 20, 3, 0),
    ],
)
def test_whole_boards_are_solved(m, n, k, score):
    solver = TicTacToeSolver(games.make("tic_tac_toe", m=m, n=n, k=k))
    assert solver.score(np.uint64(0), np.uint64(0)) == score


def test_lines_are_counted():
    assert len(winning_lines(3, 3, 3)) == 8
    assert len(winning_lines(4, 5, 4)) == 17
    assert len(winning_lines(2, 2, 1)) == 4


def test_boards_that_are_too_large_are_refused():
    with pytest.raises(UsageError, match="perfect: tic-tac-toe is solved on boards of up to 20 cells, not tic_tac_toe"):
        TicTacToeSolver(games.make("tic_tac_toe", m=3, n=7))
