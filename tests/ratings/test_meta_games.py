"""Solutions of meta-games with pools of their own for every seat: equilibria, alpha-rank, replicator dynamics."""

import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.ratings.alpha_rank import alpha_rank_profiles
from arena.ratings.nash import solve_matrix_game
from arena.ratings.replicator import projected_replicator

ROCK_PAPER_SCISSORS = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])
PENNIES = np.array([[1.0, -1], [-1, 1]])


def zero_sum(payoffs):
    return np.stack([payoffs, -payoffs])


@pytest.mark.parametrize(
    ("payoffs", "first", "second"),
    [
        ([[3.0, -1], [-2, 1]], [3 / 7, 4 / 7], [2 / 7, 5 / 7]),  # by hand: (d - c) / (a - b - c + d), value 1/7
        ([[2.0, 1, 4], [0, 0.5, 9]], [1, 0], [0, 1, 0]),  # a saddle
        (ROCK_PAPER_SCISSORS, [1 / 3] * 3, [1 / 3] * 3),
        ([[5.0]], [1], [1]),
        ([[-7.0, -7], [-7, -7], [-7, -7]], [1 / 3] * 3, [1 / 2] * 2),
    ],
)
def test_matrix_games(payoffs, first, second):
    x, y = solve_matrix_game(np.array(payoffs))
    np.testing.assert_allclose(x, first, atol=1e-5)
    np.testing.assert_allclose(y, second, atol=1e-5)


@pytest.mark.parametrize("shape", [(4, 9), (30, 30), (25, 3)])
def test_nobody_gains_in_a_random_matrix_game(shape):
    payoffs = 100 * np.random.default_rng(sum(shape)).standard_normal(shape)
    x, y = solve_matrix_game(payoffs)
    assert (payoffs @ y).max() - (x @ payoffs).min() < 1e-3


@pytest.mark.full
def test_replicator_dynamics_find_what_is_better():
    first, second = projected_replicator(zero_sum(np.array([[2.0, 1], [0, 0.5]])), exploration=0.3)
    assert first[0] > 0.85, "it dominates"
    assert first.min() > 0.1, "what explores is never below exploration / (S + 1)"
    assert second[1] > 0.5


def test_replicator_dynamics_circle_round_the_equilibrium():
    """In zero-sum games their average over time is near an equilibrium (J. Hofbauer, 1996)."""
    x, y = projected_replicator(zero_sum(np.array([[3.0, -1], [-2, 1]])), iterations=200_000)
    np.testing.assert_allclose(x, [3 / 7, 4 / 7], atol=0.01)
    np.testing.assert_allclose(y, [2 / 7, 5 / 7], atol=0.01)


def test_replicator_dynamics_of_three_seats():
    """Who plays 0 earns 1, whatever the others do."""
    payoffs = np.zeros((3, 2, 2, 3))
    payoffs[0, 0], payoffs[1, :, 0], payoffs[2, :, :, 0] = 1, 1, 1
    for shares in projected_replicator(payoffs):
        assert shares[0] == max(shares) > 0.9
    with pytest.raises(UsageError, match=r"payoffs of shape \(2, 3\)"):
        projected_replicator(np.zeros((2, 3)))


def test_alpha_rank_of_profiles():
    np.testing.assert_allclose(alpha_rank_profiles(zero_sum(PENNIES)), np.full((2, 2), 0.25))
    saddle = alpha_rank_profiles(zero_sum(np.array([[2.0, 1, 4], [0, 0.5, 9]])), alpha=1.0)
    assert saddle[0, 1] > 0.999
    prisoners = np.array([[[3.0, 0], [5, 1]], [[3, 5], [0, 1]]])
    assert alpha_rank_profiles(prisoners)[1, 1] > 0.999
    assert alpha_rank_profiles(np.zeros((2, 1, 1))) == 1


def test_alpha_rank_of_profiles_by_hand():
    """One seat that chooses between two: the chain of two places, whose flows are equal."""
    alpha, population, gain = 0.1, 10, 1.0
    up = (1 - np.exp(-alpha * gain)) / (1 - np.exp(-population * alpha * gain))
    down = (1 - np.exp(alpha * gain)) / (1 - np.exp(population * alpha * gain))
    payoffs = np.array([[[0.0], [gain]], [[0.0], [0.0]]])
    found = alpha_rank_profiles(payoffs, alpha, population)[:, 0]
    np.testing.assert_allclose(found, np.array([down, up]) / (up + down))
