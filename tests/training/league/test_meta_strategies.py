"""Mixtures of a league's members, where the best of them are known."""

import numpy as np
import pytest

from arena.training.league.meta_strategies import meta_strategy, scores_of

CYCLE = np.array([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]])


@pytest.mark.full
@pytest.mark.parametrize("solver", ["nash", "alpha-rank", "prd"])
def test_a_cycle_is_played_evenly_and_whom_all_beat_is_not(solver):
    np.testing.assert_allclose(meta_strategy(CYCLE, solver), np.full(3, 1 / 3), atol=1e-6)
    worse = np.full((4, 4), 0.5)
    worse[:3, :3], worse[:3, 3], worse[3, :3] = CYCLE, 1.0, 0.0
    np.testing.assert_allclose(meta_strategy(worse, solver), [1 / 3, 1 / 3, 1 / 3, 0], atol=0.05)
    assert meta_strategy(np.full((1, 1), 0.5), solver).tolist() == [1.0]


def test_a_cycle_with_unequal_stakes_is_played_at_its_equilibrium():
    """Where rock against scissors is worth twice as much, scissors against paper decides half of the mixture."""
    stakes = 0.5 + np.array([[0, -1, 2], [1, 0, -1], [-2, 1, 0]]) / 4
    np.testing.assert_allclose(meta_strategy(stakes, "nash"), [0.25, 0.5, 0.25], atol=1e-4)


def test_scores_are_points_a_game_and_strangers_are_equals():
    points = np.array([[0, 3.0, 0], [1, 0, 0], [0, 0, 0]])
    np.testing.assert_allclose(scores_of(points), [[0.5, 0.75, 0.5], [0.25, 0.5, 0.5], [0.5, 0.5, 0.5]])
