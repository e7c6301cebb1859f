"""Cycles: their share, Nash averaging and alpha-rank, against published examples."""

import numpy as np
import pytest

from arena.ratings.alpha_rank import alpha_rank, stationary, takeover
from arena.ratings.cycles import cyclic_share, log_odds
from arena.ratings.nash import nash_average

ROCK_PAPER_SCISSORS = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])


def played(chances, games, rng):
    """Points [N, N] of `games` games of each pair."""
    won = np.triu(rng.binomial(games, chances), 1).astype(float)
    return won + np.triu(games - won, 1).T


def test_cycles_are_what_ratings_cannot_explain():
    cycle = np.array([[0.0, 40, 0], [0, 0, 40], [40, 0, 0]])
    ladder = np.array([[0.0, 36, 39], [4, 0, 30], [1, 10, 0]])
    assert cyclic_share(cycle) > 0.95
    assert cyclic_share(ladder) < 0.02
    assert cyclic_share(np.zeros((3, 3))) == 0
    assert cyclic_share(cycle[:2, :2]) < 1e-9  # two cannot run in circles


@pytest.mark.parametrize("games", [10, 1000])
def test_chance_alone_is_no_cycle(games):
    rng, strength = np.random.default_rng(0), np.linspace(-1, 1, 8)
    chances = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    shares = [cyclic_share(played(chances, games, rng)) for _ in range(50)]
    assert np.mean(shares) < 0.05


@pytest.mark.parametrize("weight", [0.25, 0.5, 0.75])
def test_the_share_is_that_of_the_energy(weight):
    """A cycle and a ladder of known log-odds; ladder and cycle are orthogonal, so that their squares add up."""
    ladder = np.array([[0.0, 1, 2], [-1, 0, 1], [-2, -1, 0]]) / np.sqrt(6)
    cycle = -ROCK_PAPER_SCISSORS / np.sqrt(3)
    flow = 0.1 * (np.sqrt(1 - weight) * ladder + np.sqrt(weight) * cycle)
    points = 1e7 / (1 + np.exp(-flow))
    np.fill_diagonal(points, 0)
    assert cyclic_share(points) == pytest.approx(weight, abs=0.01)
    np.testing.assert_allclose(log_odds(points), flow, atol=1e-6)


@pytest.mark.parametrize("e", [0.0, 0.1, 0.25, 0.4])
def test_nash_of_a_cycle_and_a_ladder_as_balduzzi_has_it(e):
    """Example 2 of arXiv 1806.02643: C + e T has the equilibrium (1 + e, 1 - 2 e, 1 + e) / 3 up to e = 1/2."""
    cycle, ladder = -ROCK_PAPER_SCISSORS, np.array([[0.0, 1, 2], [-1, 0, 1], [-2, -1, 0]])
    shares, skill = nash_average(cycle + e * ladder)
    assert shares.tolist() == pytest.approx([(1 + e) / 3, (1 - 2 * e) / 3, (1 + e) / 3], abs=1e-6)
    assert skill == pytest.approx([0, 0, 0], abs=1e-6)
    assert nash_average(cycle + 0.7 * ladder)[0].tolist() == [1, 0, 0]


def test_nash_as_openspiel_has_it():
    """OpenSpiel, python/algorithms/nash_averaging_test.py."""
    shares, skill = nash_average(np.array([[0.0, -1, -1], [1, 0, -1], [1, 1, 0]]))
    assert (shares.tolist(), skill.tolist()) == ([0, 0, 1], [-1, -1, 0])
    assert nash_average(ROCK_PAPER_SCISSORS)[0].tolist() == pytest.approx([1 / 3] * 3)
    dominated = [[0.0, 234, 34, -270], [-234, 0, -38, -464], [-34, 38, 0, -270], [270, 464, 270, 0]]
    assert nash_average(np.array(dominated))[0].tolist() == [0, 0, 0, 1]


def test_copies_share_what_one_had():
    copies = [0, 1, 2, 2, 2]
    shares, _ = nash_average(ROCK_PAPER_SCISSORS[np.ix_(copies, copies)])
    assert shares.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 9, 1 / 9, 1 / 9], abs=1e-6)


@pytest.mark.parametrize("size", [1, 2, 7, 40])
def test_nobody_gains_against_an_equilibrium(size):
    payoffs = np.random.default_rng(size).normal(size=(size, size))
    shares, skill = nash_average(payoffs - payoffs.T)
    assert shares.sum() == pytest.approx(1)
    assert skill.max() < 1e-6
    assert shares @ skill == pytest.approx(0, abs=1e-9)


def test_alpha_rank_as_openspiel_has_it():
    """Payoffs of Han et al. 2013, from OpenSpiel, python/egt/alpharank_test.py."""
    r, t, p, s, delta, eps = 1.0, 2.0, 0.0, -1.0, 4.0, 0.25
    payoffs = np.array(
        [
            [r - eps / 2, r - eps, 0, s + delta - eps, r - eps],
            [r, r, s, s, s],
            [0, t, p, p, p],
            [t - delta, t, p, p, p],
            [r, t, p, p, p],
        ]
    )
    published = [0.40966787, 0.07959841, 0.20506998, 0.08505983, 0.2206039]
    assert alpha_rank(payoffs, alpha=0.1, population=20).tolist() == pytest.approx(published, abs=1e-6)


def test_alpha_rank_of_cycles_and_ladders():
    scores = (1 + ROCK_PAPER_SCISSORS) / 2
    assert alpha_rank(scores).tolist() == pytest.approx([1 / 3] * 3)
    ladder = np.array([[0.5, 0.6, 0.9], [0.4, 0.5, 0.7], [0.1, 0.3, 0.5]])
    assert alpha_rank(ladder).tolist() == pytest.approx([1, 0, 0], abs=1e-6)
    below = np.block([[scores, np.full((3, 1), 0.9)], [np.full((1, 3), 0.1), np.array([[0.5]])]])
    assert alpha_rank(below).tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=1e-6)
    assert alpha_rank(np.array([[0.5]])).tolist() == [1]


def test_a_mutant_like_all_others_takes_over_by_luck():
    assert takeover(np.full((2, 2), 0.5), alpha=10.0, population=50).tolist() == [[1 / 50] * 2] * 2


def test_stationary_distribution_of_a_chain():
    moves = np.array([[0, 0.1, 0.2], [0.3, 0, 0.1], [0.2, 0.2, 0]])
    shares = stationary(moves)
    assert (shares @ moves).tolist() == pytest.approx((shares * moves.sum(axis=1)).tolist())
