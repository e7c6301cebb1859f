"""The solver of othello's endgames: brute force, and where it begins."""

import numpy as np
import pytest

import games
from agents.perfect.othello import ENDGAME, OthelloSolver
from arena.base.errors import UsageError
from arena.env.native import GameVectorEnv
from tests.agents.perfect import brute_force
from tests.tiers import mostly_slow

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


@pytest.mark.parametrize(
    ("size", "empty", "count"), mostly_slow([(8, 7, 100), (6, 8, 200)], {8}, "searches without cuts")
)
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


FFO_40 = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X--------"
"""The first of the endgames by which othello programs are compared; X is to move and wins by 38 discs."""


def words(cells, own):
    """The two words of a position in text, those of `own` first."""
    sides = (own, "XO".replace(own, ""))
    return [np.uint64(sum(1 << i for i, cell in enumerate(cells) if cell == side)) for side in sides]


def test_a_known_endgame_has_its_known_score():
    assert OthelloSolver(games.make("othello")).score(*words(FFO_40, "X")) == 38


def plain_score(cells, own, passed=False):
    """The lead in discs of `own` at the end, by trying all moves on a list of 64 cells."""
    other = "XO".replace(own, "")
    scores = []
    for cell, content in enumerate(cells):
        turned = [] if content != "-" else turned_over(cells, cell, own, other)
        if turned:
            after = list(cells)
            for place in (cell, *turned):
                after[place] = own
            scores.append(-plain_score(after, other))
    if scores:
        return max(scores)
    if not passed:
        return -plain_score(cells, other, True)
    lead = cells.count(own) - cells.count(other)
    return lead + np.sign(lead) * cells.count("-")


def turned_over(cells, cell, own, other):
    turned = []
    for down, right in ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)):
        run, row, column = [], cell // 8 + down, cell % 8 + right
        while 0 <= row < 8 and 0 <= column < 8 and cells[8 * row + column] == other:
            run.append(8 * row + column)
            row, column = row + down, column + right
        if run and 0 <= row < 8 and 0 <= column < 8 and cells[8 * row + column] == own:
            turned += run
    return turned


@pytest.mark.parametrize("empty", [5, 7])
def test_scores_count_discs_and_give_empty_cells_to_the_winner(empty):
    game = games.make("othello")
    solver = OthelloSolver(game)
    for state in endgames(game, 10, empty, seed=empty):
        rows = state["discs"][:, :, None] >> np.arange(8) & 1
        text = ["-X"[dark] if not light else "O" for dark, light in zip(*rows.reshape(2, 64), strict=True)]
        own = "XO"[state["current_player"]]
        assert solver.score(*words(text, own)) == plain_score(text, own)
