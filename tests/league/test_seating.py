"""Who sits at which board: shares, seats, and snapshots that come and go."""

import numpy as np
import pytest

from arena.league.seating import LEARNER, LeagueSeating
from tests.match.players import Lowest
from tests.policy.policies import Student

GAMES = 20_000


def seating(self_play: float, pool: float, references: int = 0, slots: int = 2, num_players: int = 2) -> LeagueSeating:
    made = LeagueSeating(Student(), [Lowest() for _ in range(references)], num_players, self_play, pool, slots)
    made.rng = np.random.default_rng(7)
    return made


def opponents(made: LeagueSeating) -> dict[int, float]:
    """Share of games by the label of the opponent, over many games that begin; the learner is among the players."""
    seated = made(np.arange(GAMES))
    assert (seated == LEARNER).any(axis=1).all()
    labels = made.manager.labels[seated]
    against = np.where(labels == LEARNER, 0, labels).sum(axis=1) // (seated.shape[1] - 1)
    return {int(label): count / GAMES for label, count in zip(*np.unique(against, return_counts=True), strict=True)}


def near(shares: dict[int, float], expected: dict[int, float]) -> None:
    assert shares.keys() == expected.keys()
    for label, share in expected.items():
        assert shares[label] == pytest.approx(share, abs=5 * np.sqrt(0.25 / GAMES))


def test_games_are_shared_out_as_asked():
    made = seating(0.5, 0.3, references=2)
    near(opponents(made), {0: 0.8, -1: 0.1, -2: 0.1})
    made.invite({4: Lowest(), 6: Lowest()})
    near(opponents(made), {0: 0.5, 4: 0.15, 6: 0.15, -1: 0.1, -2: 0.1})


def test_the_learner_sits_at_every_seat_equally_often():
    made = seating(0.0, 1.0, num_players=3)
    made.invite({1: Lowest()})
    seated = made(np.arange(GAMES))
    assert ((seated == LEARNER).sum(axis=1) == 1).all()
    np.testing.assert_allclose((seated == LEARNER).mean(axis=0), 1 / 3, atol=5 * np.sqrt(0.25 / GAMES))


def test_only_the_learner_learns():
    made = seating(0.5, 0.3, references=2)
    made.invite({4: Student(), 6: Student()})
    assert np.flatnonzero(made.manager.is_learner).tolist() == [LEARNER]


def test_a_snapshot_stays_until_its_last_game_has_ended():
    made = seating(0.0, 1.0, slots=1)
    first, second, third = Lowest(), Lowest(), Lowest()
    manager = made.manager
    made.invite({1: first})
    manager.seat(np.arange(4), 4, 2)
    made.invite({2: second})
    assert {first, second} <= set(manager.policies)
    manager.seat(np.arange(2), 4, 2)
    made.invite({3: third})
    assert third not in manager.policies, "both places are held by games under way: it has to wait"
    near_labels = set(manager.labels[manager.seated(np.arange(4))].ravel().tolist())
    assert near_labels == {LEARNER, 1, 2}
    manager.seat(np.arange(4), 4, 2)
    made.invite({3: third})
    assert third in manager.policies
    near(opponents(made), {3: 1.0} if third in manager.policies else {})


def test_a_snapshot_that_stays_invited_keeps_its_place():
    made = seating(0.0, 1.0)
    first = Lowest()
    made.invite({1: first, 2: Lowest()})
    place = made.manager.policies.index(first)
    made.invite({1: Lowest(), 3: Lowest()})
    assert made.manager.policies[place] is first
    near(opponents(made), {1: 0.5, 3: 0.5})


def test_the_same_seed_gives_the_same_tables():
    made = seating(0.5, 0.5)
    made.invite({1: Lowest()})
    tables = []
    for _ in range(2):
        made.rng = np.random.default_rng(3)
        tables.append(made(np.arange(50)).tolist())
    assert tables[0] == tables[1]
