"""Elo by maximum likelihood against closed forms, differences, and simulated truth."""

import math

import numpy as np
import pytest

from arena.tournament.ratings import (
    ELO,
    derivatives,
    expected_scores,
    log_likelihood,
    rate,
    superiority,
    unexplained,
)

FAINT = 1e-9
"""A prior too weak to be seen."""


def two_players(won, lost):
    return np.array([[0.0, won], [lost, 0.0]])


@pytest.mark.parametrize(("won", "lost"), [(30, 10), (20, 20), (7.5, 92.5), (399, 1)])
def test_two_players_have_a_closed_form(won, lost):
    ratings = rate(two_players(won, lost), prior_games=FAINT)
    score, games = won / (won + lost), won + lost
    assert ratings.elo[0] - ratings.elo[1] == pytest.approx(400 * math.log10(score / (1 - score)), abs=1e-4)
    of_difference = ELO / math.sqrt(games * score * (1 - score))  # one over the root of the Fisher information
    assert ratings.error == pytest.approx([1.959964 * of_difference / 2] * 2, rel=1e-4)
    assert superiority(ratings)[0, 1] == pytest.approx(normal(math.log(score / (1 - score)) * ELO / of_difference))


def normal(z):
    return 0.5 * (1 + math.erf(z / math.sqrt(2)))


def some_points(n=5, games=20, seed=0):
    rng = np.random.default_rng(seed)
    won = np.triu(rng.integers(0, 2 * games + 1, (n, n)) / 2, 1)
    return won + np.triu(games - won, 1).T


def test_derivatives_are_those_of_the_likelihood():
    points, strength, h = some_points(), np.array([0.3, -1.0, 0.2, 2.0, 0.1]), 1e-5
    gradient, information = derivatives(strength, points, 0.5)
    shifts = h * np.eye(5)
    slope = [
        (log_likelihood(strength + s, points, 0.5) - log_likelihood(strength - s, points, 0.5)) / (2 * h)
        for s in shifts
    ]
    np.testing.assert_allclose(gradient, slope, atol=1e-6)
    bend = [
        (derivatives(strength + s, points, 0.5)[0] - derivatives(strength - s, points, 0.5)[0]) / (2 * h)
        for s in shifts
    ]
    np.testing.assert_allclose(information, -np.array(bend), atol=1e-6)


def test_nothing_nearby_is_likelier():
    points, rng = some_points(), np.random.default_rng(1)
    best = rate(points).elo / ELO
    assert derivatives(best, points, 0.5)[0] == pytest.approx(np.zeros(5), abs=1e-8)
    for _ in range(200):
        other = best + rng.normal(0, 0.3, 5)
        assert log_likelihood(other, points, 0.5) < log_likelihood(best, points, 0.5)


def test_at_the_best_every_player_scores_what_it_should():
    points = some_points()
    elo = rate(points, prior_games=FAINT).elo
    np.testing.assert_allclose(((points + points.T) * expected_scores(elo)).sum(axis=1), points.sum(axis=1), atol=1e-5)


@pytest.mark.parametrize("games", [1, 40, 1000])
def test_a_score_of_all_is_finite_and_grows_with_the_games(games):
    few, many = rate(two_players(games, 0)).elo, rate(two_players(2 * games, 0)).elo
    assert 0 < few[0] < many[0] < 2000
    chain = np.triu(np.full((6, 6), float(games)), 1)  # everybody beats everybody below, always
    ratings = rate(chain)
    assert np.all(np.diff(ratings.elo) < 0)
    assert np.all(np.isfinite(ratings.error))


def test_the_mean_or_the_anchor_is_zero():
    points = some_points()
    free, fixed = rate(points), rate(points, anchor=2)
    assert free.elo.mean() == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(fixed.elo, free.elo - free.elo[2], atol=1e-9)
    assert (fixed.elo[2], fixed.error[2]) == pytest.approx((0, 0), abs=1e-4)
    np.testing.assert_allclose(superiority(fixed), superiority(free), atol=1e-9)


@pytest.mark.parametrize("true", [[-50, 50], [-250, -50, 50, 250], [-700, -200, 0, 300, 600]])
def test_intervals_hold_the_truth_as_often_as_they_say(true):
    rng, runs, chance = np.random.default_rng(0), 300, expected_scores(np.array(true))
    held = 0
    for _ in range(runs):
        won = np.triu(rng.binomial(40, chance), 1).astype(float)
        ratings = rate(won + np.triu(40 - won, 1).T)
        held += np.mean(np.abs(ratings.elo - true) < ratings.error)
    assert 0.93 < held / runs < 0.99


def test_cycles_are_what_ratings_cannot_explain():
    cycle = np.array([[0.0, 40, 0], [0, 0, 40], [40, 0, 0]])
    ladder = np.array([[0.0, 36, 39], [4, 0, 30], [1, 10, 0]])
    assert unexplained(cycle, rate(cycle).elo) > 0.95
    assert unexplained(ladder, rate(ladder).elo) < 0.02
    assert unexplained(np.zeros((3, 3)), np.zeros(3)) == 0
