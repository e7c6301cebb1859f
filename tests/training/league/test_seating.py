"""Who sits at which board: shares, seats, and members that come and go."""

import numpy as np
import pytest

from arena.training.league.seating import LEARNER, LeagueSeating, OpponentPlan
from tests.match.players import Lowest
from tests.policy.policies import LearnerInTraining

GAMES = 20_000


def seating(references: int = 0, slots: int = 2, num_players: int = 2, **rivals) -> LeagueSeating:
    made = LeagueSeating(LearnerInTraining(), [Lowest() for _ in range(references)], num_players, slots, **rivals)
    made.rng = np.random.default_rng(7)
    return made


def invite(made: LeagueSeating, shares: dict[int, float], members: dict[int, Lowest] | None = None) -> None:
    made.invite(shares, np.random.default_rng(5), lambda label: (members or {}).get(label) or Lowest())


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
    made = seating(references=2)
    near(opponents(made), {0: 1.0})
    invite(made, {LEARNER: 0.5, 4: 0.1, 6: 0.2})
    near(opponents(made), {0: 0.5, 4: 0.1, 6: 0.2, -1: 0.1, -2: 0.1})


def test_rivals_are_met_as_they_are_and_learn_only_if_they_are_to():
    rival = LearnerInTraining()
    made = seating(references=1, rivals=[rival])
    invite(made, {LEARNER: 0.2, -2: 0.3, 4: 0.5})
    near(opponents(made), {0: 0.2, -2: 0.3, 4: 0.5})
    assert made.manager.policies[2] is rival
    assert np.flatnonzero(made.manager.is_learner).tolist() == [LEARNER]
    taught = seating(references=1, rivals=[rival], rivals_learn=True)
    assert np.flatnonzero(taught.manager.is_learner).tolist() == [LEARNER, 2]


def test_of_more_members_than_places_some_are_drawn_and_share_what_all_were_to_get():
    made = seating(slots=2)
    shares = {LEARNER: 0.5, 1: 0.25, 2: 0.125, 3: 0.125}
    total = np.zeros(4)
    for seed in range(400):
        made.invite(shares, np.random.default_rng(seed), lambda label: Lowest())
        assert made.plan.pool == 0.5
        for place, part in zip(made.plan.opponents, made.plan.shares, strict=True):
            total[made.manager.labels[place]] += part / 400
    np.testing.assert_allclose(total, [0, 0.5, 0.25, 0.25], atol=0.1)


def test_the_learner_sits_at_every_seat_equally_often():
    made = seating(num_players=3)
    invite(made, {1: 1.0})
    seated = made(np.arange(GAMES))
    assert ((seated == LEARNER).sum(axis=1) == 1).all()
    np.testing.assert_allclose((seated == LEARNER).mean(axis=0), 1 / 3, atol=5 * np.sqrt(0.25 / GAMES))


def test_only_the_learner_learns():
    made = seating(references=2)
    invite(made, {LEARNER: 0.5, 4: 0.15, 6: 0.15}, {4: LearnerInTraining(), 6: LearnerInTraining()})
    assert np.flatnonzero(made.manager.is_learner).tolist() == [LEARNER]


def test_a_member_stays_until_its_last_game_has_ended():
    made = seating(slots=1)
    members = {1: Lowest(), 2: Lowest(), 3: Lowest()}
    manager = made.manager
    invite(made, {1: 1.0}, members)
    manager.seat(np.arange(4), 4, 2)
    invite(made, {2: 1.0}, members)
    assert {members[1], members[2]} <= set(manager.policies)
    manager.seat(np.arange(2), 4, 2)
    invite(made, {3: 1.0}, members)
    assert members[3] not in manager.policies, "both places are held by games under way: it has to wait"
    assert set(manager.labels[manager.seated(np.arange(4))].ravel().tolist()) == {LEARNER, 1, 2}
    manager.seat(np.arange(4), 4, 2)
    invite(made, {3: 1.0}, members)
    assert members[3] in manager.policies
    near(opponents(made), {3: 1.0})


def test_a_member_that_stays_invited_keeps_its_place():
    made = seating()
    first = Lowest()
    invite(made, {1: 0.5, 2: 0.5}, {1: first})
    place = made.manager.policies.index(first)
    invite(made, {1: 0.5, 3: 0.5})
    assert made.manager.policies[place] is first
    near(opponents(made), {1: 0.5, 3: 0.5})


def test_the_same_seed_gives_the_same_tables():
    made = seating()
    invite(made, {LEARNER: 0.5, 1: 0.5})
    tables = []
    for _ in range(2):
        made.rng = np.random.default_rng(3)
        tables.append(made(np.arange(50)).tolist())
    assert tables[0] == tables[1]


def test_another_seating_can_follow_a_plan():
    made, follower = seating(references=1), seating(references=1)
    invite(made, {LEARNER: 0.25, 4: 0.25, 9: 0.25})
    loaded = []
    follower.follow(OpponentPlan.from_json(vars(made.plan)), lambda label: loaded.append(label) or Lowest())
    assert loaded == [4, 9]
    assert follower.manager.labels.tolist() == made.manager.labels.tolist()
    assert follower(np.arange(100)).tolist() == made(np.arange(100)).tolist()
