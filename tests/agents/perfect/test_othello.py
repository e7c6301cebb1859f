"""The solver of othello's endgames: brute force, and where it begins."""

import numpy as np
import pytest

import games
from agents.perfect.othello import ENDGAME, OthelloSolver
from arena.base.errors import UsageError
from arena.env.native import GameVectorEnv
from tests.agents.perfect import brute_force

pytestmark = pytest.mark.full


def endgames(game, count, empty, seed):
    """Unfinished positions of random games with so many empty cells."""
    rng = np.random.default_rng(seed)
    env = GameVectorEnv(game, 4 * count)
    env.reset()
    cells = game.options["size"] ** 2
    while True:
        discs = sum((env.states["discs"] >> np.uint16(i) & 1).sum(axis=(1, 2)) for i in range(16))
        rows = np.flatnonzero(~env.over & (cells - discs > empty))
        if not len(rows):
            return env.states[~env.over][:count]
        mask = env.mask[rows]
        env.step((rng.random(mask.shape) * mask).argmax(axis=1), rows)


@pytest.mark.parametrize(("size", "empty", "count"), [(6, 8, 200), (8, 7, 100)])
def test_it_agrees_with_brute_force(size, empty, count):
    game = games.make("othello", size=size)
    solver = OthelloSolver(game)
    states = endgames(game, count, empty, seed=size)
    assert len(states) == count
    score = brute_force.values(game, states)
    score = np.where(score > -2, np.sign(score), score)
    assert {-1, 1} <= set(score.max(axis=1))
    for state, values in zip(states, score, strict=True):
        best, result = solver.best(state)
        assert result == values.max()
        assert (best == (values == result)).all()


def test_four_by_four_is_a_win_for_the_second_player():
    """Known since it was first searched: the second player wins by 3 to 11."""
    game = games.make("othello", size=4)
    best, value = OthelloSolver(game).best(game.initial)
    assert value == -1
    assert best.sum() == 4


def test_it_says_nothing_of_what_is_far_from_the_end():
    game = games.make("othello", size=6)
    assert OthelloSolver(game).best(game.initial) is None
    assert OthelloSolver(game).best(endgames(game, 1, ENDGAME[6], seed=3)[0]) is not None


def test_a_size_that_is_too_large_is_refused():
    with pytest.raises(UsageError, match="perfect: endgames of othello are solved on sizes 4, 6 and 8, not othello"):
        OthelloSolver(games.make("othello", size=10))
