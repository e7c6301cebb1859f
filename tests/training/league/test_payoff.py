"""Counts of games, whole and fading, and what a finished game counts for."""

import numpy as np
import pytest

from arena.match.batch import outcomes
from arena.training.league.learner_in_training import results_by_opponent
from arena.training.league.payoff import Counts, Payoff


def test_games_are_counted_by_pair():
    payoff = Payoff()
    payoff.add("main", "main-0001", 3, 1, 0)
    payoff.add("main", "main-0001", 0, 0, 2)
    payoff.add("main", "random", 1, 0, 0)
    counts = payoff.of("main", "main-0001")
    assert (counts.wins, counts.draws, counts.losses, counts.games) == (3, 1, 2, 6)
    assert counts.score == pytest.approx(3.5 / 6)
    assert payoff.of("main", "main-0002") == Counts()
    np.testing.assert_allclose(payoff.recent_scores("main", ["main-0001", "random", "nobody"]), [3.5 / 6, 1, 0.5])


def test_the_past_fades_game_by_game():
    counts = Counts()
    for _ in range(3):
        counts.add(1, 0, 0, decay=0.5)
    np.testing.assert_allclose(counts.recent, [1 + 0.5 + 0.25, 0, 0])
    counts.add(0, 0, 1, decay=0.5)
    np.testing.assert_allclose(counts.recent, [1.75 / 2, 0, 1])
    assert counts.recent_score == pytest.approx(0.875 / 1.875)
    assert counts.score == 0.75


def test_games_counted_together_weigh_what_they_weigh_one_by_one():
    together, single = Counts(), Counts()
    for counts in (together, single):
        counts.add(0, 0, 5, decay=0.9)
    together.add(40, 0, 0, decay=0.9)
    for _ in range(40):
        single.add(1, 0, 0, decay=0.9)
    np.testing.assert_allclose(together.recent, single.recent)


def test_who_begins_anew_has_no_recent_games():
    payoff = Payoff(0.9)
    payoff.add("exploiter", "main", 5, 0, 0)
    payoff.forget_recent("exploiter")
    assert payoff.recent_scores("exploiter", ["main"]) == [0.5]
    assert payoff.of("exploiter", "main").wins == 5


def test_points_are_those_of_both_sides():
    payoff = Payoff()
    payoff.add("b", "a", 2, 1, 0)
    payoff.add("a", "c", 4, 0, 0)
    np.testing.assert_allclose(payoff.points(["a", "b", "c"]), [[0, 0.5, 4], [2.5, 0, 0], [0, 0, 0]])
    np.testing.assert_allclose(payoff.points(["b", "c"]), np.zeros((2, 2)))


def test_counts_are_kept_in_a_file():
    payoff = Payoff(0.9)
    payoff.add("a", "b", 2, 1, 7)
    assert Payoff.from_json(payoff.to_json(), 0.9) == payoff


def test_results_are_those_of_the_learner_against_one_opponent():
    players = np.array([[0, 3], [3, 0], [0, 3], [0, 0], [7, 0], [0, -1], [0, 3]])
    returns = np.array([[1.0, -1], [1, -1], [0, 0], [1, -1], [-1, 1], [-1, 1], [2, 1]])
    assert results_by_opponent(players, returns) == {3: (2, 1, 1), 7: (1, 0, 0), -1: (0, 0, 1)}


def test_games_against_oneself_and_no_games_say_nothing():
    assert results_by_opponent(np.zeros((2, 2), int), np.array([[1.0, -1], [0, 0]])) == {}
    assert results_by_opponent(np.zeros((0, 2), int), np.zeros((0, 2))) == {}
    assert results_by_opponent(None, np.zeros((3, 2))) == {}


def test_at_larger_tables_one_has_won_who_leaves_more_behind_than_are_ahead():
    ends = outcomes(np.array([2.0, 0, 0, 1, 0]), np.array([[1.0, 1], [1, -1], [1, 1], [1, 0], [0, 0]]))
    assert ends.tolist() == [0, 1, 2, 0, 1]
    players = np.array([[0, 1, 1], [1, 0, 1]])
    assert results_by_opponent(players, np.array([[2.0, -1, -1], [3, 0, 0]])) == {1: (1, 0, 1)}


def test_among_equals_a_win_is_as_likely_as_a_loss():
    earned = np.random.default_rng(0).integers(0, 3, (100_000, 4)).astype(float)
    ends = np.bincount(outcomes(earned[:, 0], earned[:, 1:]), minlength=3)
    assert abs(ends[0] - ends[2]) < 5 * np.sqrt(ends[0] + ends[2])
