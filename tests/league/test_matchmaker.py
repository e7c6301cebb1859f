"""Whom the learner meets, and how it is counted how it fares."""

import numpy as np
import pytest

from arena.league.matchmaker import RULES, latest, uniform
from arena.league.training import LearnerPayoff as Payoff

SNAPSHOTS = [1, 2, 3, 4, 5]


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("count", [0, 1, 3, 5, 9])
def test_every_rule_chooses_different_snapshots_as_many_as_there_are(name, count):
    rng = np.random.default_rng(0)
    for snapshots in ([], [1], SNAPSHOTS):
        chosen = RULES[name](snapshots, count, rng)
        assert len(chosen) == len(set(chosen)) == min(count, len(snapshots))
        assert set(chosen) <= set(snapshots)


def test_latest_takes_the_newest():
    rng = np.random.default_rng(0)
    assert latest(SNAPSHOTS, 2, rng) == [4, 5]
    assert latest(range(1, 4), 1, rng) == [3]


def test_uniform_gives_everyone_the_same_chance():
    rng = np.random.default_rng(0)
    counts = np.bincount(np.concatenate([uniform(SNAPSHOTS, 2, rng) for _ in range(5000)]), minlength=6)
    np.testing.assert_allclose(counts[1:], 2000, atol=6 * np.sqrt(5000 * 0.4 * 0.6))
    draws = [uniform(SNAPSHOTS, 3, np.random.default_rng(4)) for _ in range(2)]
    assert draws[0] == draws[1] == sorted(draws[0])


def test_wins_draws_and_losses_are_counted_against_each_opponent():
    payoff = Payoff()
    players = np.array([[0, 3], [3, 0], [0, 3], [0, 0], [7, 0], [0, -1]])
    returns = np.array([[1, -1], [1, -1], [0, 0], [1, -1], [-1, 1], [-1, 1]])
    payoff.record(players, returns, learner=0)
    assert payoff.counts == {3: [1, 1, 1], 7: [1, 0, 0], -1: [0, 0, 1]}
    assert payoff.score({3}) == 0.5
    assert payoff.score({3, 7}) == pytest.approx(2.5 / 4)
    assert payoff.score({-1}) == 0.0
    assert payoff.score({9}) is None
    assert payoff.score(set()) is None


def test_at_a_table_of_three_the_learner_is_measured_against_the_best_of_the_others():
    payoff = Payoff()
    payoff.record(np.array([[0, 1, 2], [1, 0, 1]]), np.array([[2, -1, -1], [3, 0, 0]]), learner=0)
    assert payoff.counts == {1: [1, 0, 1], 2: [1, 0, 0]}


def test_counts_are_kept_in_a_file():
    payoff = Payoff({-1: [1, 2, 3], 12: [4, 5, 6]})
    assert Payoff.from_json(payoff.as_json()) == payoff


def test_no_game_counts_nothing():
    payoff = Payoff()
    payoff.record(np.zeros((0, 2), int), np.zeros((0, 2)), learner=0)
    assert payoff.counts == {}
