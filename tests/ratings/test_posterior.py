"""Bayes' rule after a game: against a sum over a fine grid."""

import math

import numpy as np
import pytest

from arena.ratings.posterior import after_game


def on_a_grid(mu, phi, other_mu, other_phi, won):
    strengths = np.linspace(mu - 9 * phi, mu + 9 * phi, 20_001)
    discount = 1 / math.sqrt(1 + 3 * (other_phi / math.pi) ** 2)
    chance = 1 / (1 + np.exp(-discount * (strengths - other_mu)))
    weights = np.exp(-((strengths - mu) ** 2) / (2 * phi**2)) * (chance if won else 1 - chance)
    weights /= weights.sum()
    mean = weights @ strengths
    return mean, math.sqrt(weights @ (strengths - mean) ** 2)


@pytest.mark.parametrize("won", [True, False])
@pytest.mark.parametrize("case", [(0, 2, 0, 2), (0, 2, 3, 0.1), (-1, 0.3, 2, 1), (4, 2, -4, 0.2), (0, 0.1, 0, 0)])
def test_a_win_and_a_loss(case, won):
    assert after_game(*case, float(won)) == pytest.approx(on_a_grid(*case, won), abs=0.002)


def test_a_draw_is_half_a_win_and_half_a_loss():
    case = (0.5, 1.5, -0.3, 0.7)
    (won, after_win), (lost, after_loss), (drawn, after_draw) = (after_game(*case, score) for score in (1.0, 0.0, 0.5))
    assert drawn == pytest.approx((won + lost) / 2)
    assert after_draw**2 == pytest.approx((after_win**2 + after_loss**2) / 2)


def test_ratings_do_not_drift_where_results_are_as_expected():
    mu, phi, other = 1.0, 1.2, (0.2, 0.5)
    (won, _), (lost, _) = (after_game(mu, phi, *other, score) for score in (1.0, 0.0))
    chance = (mu - lost) / (won - lost)  # of a win, at which the mean stays where it is
    grid = np.random.default_rng(0).normal(mu, phi, 1_000_000)
    discount = 1 / math.sqrt(1 + 3 * (other[1] / math.pi) ** 2)
    assert chance == pytest.approx(np.mean(1 / (1 + np.exp(-discount * (grid - other[0])))), abs=0.002)
