"""Whom each role meets, when its snapshot is ready: AlphaStar's rules, by what is written of them."""

from dataclasses import replace

import numpy as np
import pytest

from arena.training.league.config import LEAGUES, LeagueConfig
from arena.training.league.matchmaker import pfsp
from arena.training.league.payoff import Payoff
from arena.training.league.records import League, Learner, Member
from arena.training.league.roles import has_beaten_all, is_ready, next_opponents

MAIN, SECOND = Learner("main", "main"), Learner("main-2", "main")
EXPLOITER = Learner("main-exploiter", "main exploiter")
OF_ALL = Learner("league-exploiter", "league exploiter")
FULL = LEAGUES["full"]


def league(members: dict[str, str], scores: dict[str, dict[str, float]], *learners: Learner) -> League:
    """A league of members by name and learner, and recent scores of learners against names."""
    made = League("g", {}, "ppo", [], list(learners) or [MAIN, EXPLOITER, OF_ALL])
    roles = {learner.name: learner.role for learner in made.learners}
    made.members = [Member(n, roles[by], by, 1, 0, None, n, "x") for n, by in members.items()]
    made.training = Payoff()
    for player, found in scores.items():
        for opponent, score in found.items():
            made.training.add(player, opponent, round(1000 * score), 0, round(1000 * (1 - score)))
    return made


def shares(made: League, learner: Learner, config: LeagueConfig = FULL) -> dict[str, float]:
    found = next_opponents(made, learner, config)
    assert sum(found.values()) == pytest.approx(1)
    assert all(share > 0 for share in found.values())
    return found


def test_a_main_agent_without_members_plays_itself():
    assert shares(league({}, {}), MAIN) == {"main": pytest.approx(1.0)}


def test_half_pfsp_a_third_itself_and_the_rest_verification():
    made = league(
        {"main-0001": "main", "main-0002": "main", "main-0003": "main"},
        {"main": {"main-0001": 0.6, "main-0002": 0.8, "main-0003": 0.4}},
    )
    hard = pfsp(np.array([0.6, 0.8, 0.4]), "squared")
    forgotten = pfsp(np.array([0.6, 0.8]), "squared")  # the third is weaker against it than the second, as it should be
    expected = {f"main-000{i + 1}": 0.5 * hard[i] for i in range(3)} | {"main": 0.35}
    for i in range(2):
        expected[f"main-000{i + 1}"] += 0.15 * forgotten[i]
    assert shares(made, MAIN) == pytest.approx(expected)


def test_verification_falls_back_on_self_play_where_nothing_is_forgotten():
    made = league({"main-0001": "main", "main-0002": "main"}, {"main": {"main-0001": 0.9, "main-0002": 0.8}})
    assert shares(made, MAIN)["main"] == pytest.approx(0.5)


def test_exploiters_that_win_too_much_are_verified_first():
    made = league(
        {"main-0001": "main", "main-exploiter-0001": "main-exploiter", "main-exploiter-0002": "main-exploiter"},
        {"main": {"main-0001": 0.9, "main-exploiter-0001": 0.2, "main-exploiter-0002": 0.6}},
    )
    hard = pfsp(np.array([0.9, 0.2, 0.6]), "squared")
    verified = pfsp(np.array([0.2, 0.6]), "squared")
    assert shares(made, MAIN) == pytest.approx(
        {
            "main": 0.35,
            "main-0001": 0.5 * hard[0],
            "main-exploiter-0001": 0.5 * hard[1] + 0.15 * verified[0],
            "main-exploiter-0002": 0.5 * hard[2] + 0.15 * verified[1],
        }
    )


def test_another_main_agent_that_is_too_strong_is_met_in_its_past():
    config = LeagueConfig(self_play=1.0, pool=0.0, main_agents=2)
    members = {"main-2-0001": "main-2", "main-2-0002": "main-2"}
    equal = league(members, {"main": {"main-2": 0.4}}, MAIN, SECOND)
    assert shares(equal, MAIN, config) == {"main": 0.5, "main-2": 0.5}
    strong = league(members, {"main": {"main-2": 0.3, "main-2-0001": 0.5, "main-2-0002": 0.1}}, MAIN, SECOND)
    past = pfsp(np.array([0.5, 0.1]), "variance")
    assert shares(strong, MAIN, config) == pytest.approx(
        {"main": 0.5, "main-2-0001": past[0] / 2, "main-2-0002": past[1] / 2}
    )


def test_a_main_exploiter_meets_the_main_agent_while_it_has_a_chance():
    members = {"main-0001": "main", "main-0002": "main"}
    assert shares(league(members, {"main-exploiter": {"main": 0.11}}), EXPLOITER) == {"main": 1.0}
    hopeless = league(members, {"main-exploiter": {"main": 0.1, "main-0001": 0.4, "main-0002": 0.2}})
    past = pfsp(np.array([0.4, 0.2]), "variance")
    assert shares(hopeless, EXPLOITER) == pytest.approx({"main-0001": past[0], "main-0002": past[1]})
    assert shares(league({}, {"main-exploiter": {"main": 0.0}}), EXPLOITER) == {"main": 1.0}


def test_a_league_exploiter_meets_all_members():
    made = league(
        {"main-0001": "main", "main-exploiter-0001": "main-exploiter"},
        {"league-exploiter": {"main-0001": 0.1, "main-exploiter-0001": 0.75}},
    )
    assert shares(made, OF_ALL) == pytest.approx({"main-0001": 0.5 / 0.75, "main-exploiter-0001": 0.25 / 0.75})


def test_exploiters_are_ready_when_they_beat_all_or_have_taken_too_long():
    made = league({"main-0001": "main"}, {"main-exploiter": {"main": 0.71}, "league-exploiter": {"main-0001": 0.7}})
    assert has_beaten_all(made, EXPLOITER)
    assert not has_beaten_all(made, OF_ALL), "more than 0.7 is asked for"
    assert is_ready(made, EXPLOITER, FULL)
    assert not is_ready(made, OF_ALL, FULL)
    assert is_ready(made, replace(OF_ALL, turns_since_member=1), FULL), "at its second turn, at the latest"
    assert is_ready(made, MAIN, FULL), "always"
    assert not has_beaten_all(league({}, {}), OF_ALL), "nobody is to be beaten yet"


@pytest.mark.parametrize(
    ("matchmaker", "expected"),
    [
        ("uniform", [0.25, 0.25, 0.25, 0.25]),
        ("latest", [0, 0, 0.5, 0.5]),
        ("window", [0, 1 / 3, 1 / 3, 1 / 3]),
        ("fictitious", [1 / 3, 1 / 3, 0, 1 / 3]),
        ("pfsp", [0.04, 0.36, 0.25, 0.25]),
        ("rating", [10 / 121, 0.25, 0.25, 0.25]),
        ("psro", [0, 1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_matchmakers_share_the_pool_out(matchmaker, expected):
    names = ["main-0001", "main-0002", "main-exploiter-0001", "main-0003"]
    by = ["main", "main", "main-exploiter", "main"]
    made = league(dict(zip(names, by, strict=True)), {"main": {"main-0001": 0.8, "main-0002": 0.4}})
    made.ratings = {"main-0001": (-400.0, 1.0)} | {name: (0.0, 1.0) for name in names[1:]}
    for winner, loser in ((1, 2), (2, 3), (3, 1), (1, 0), (2, 0), (3, 0)):  # a cycle, and one whom all of it beats
        made.evaluation.add(names[winner], names[loser], 100, 0, 0)
    config = LeagueConfig(self_play=0.4, pool=0.6, matchmaker=matchmaker, opponents=2, pool_window=3)
    found = shares(made, replace(MAIN, parent="main-0003"), config)
    expected = np.array(expected) / sum(expected)
    assert found.pop("main") == pytest.approx(0.4)
    np.testing.assert_allclose([found.get(name, 0.0) / 0.6 for name in names], expected, atol=1e-6)
