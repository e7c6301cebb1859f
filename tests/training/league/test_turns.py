"""Turns of a league as functions of its records: JSON in, JSON out, and no game is played."""

import json

from arena.policy.registry import make_game
from arena.training.league.config import LEAGUES, LeagueConfig
from arena.training.league.records import League
from arena.training.league.roles import next_opponents
from arena.training.league.turns import (
    TurnResult,
    after_games,
    after_reset,
    after_turn,
    new_league,
    resumed_league,
    snapshot_folder,
    turns_taken,
)

GAME = make_game("tic_tac_toe")
HASH = "0" * 64


def again(league: League) -> League:
    """The league as it reads from a file."""
    return League.from_json(json.loads(json.dumps(league.to_json())))


def joined(step: int, **evaluation) -> TurnResult:
    return TurnResult(step, "joined", HASH, evaluation)


def test_a_turn_is_counted_whatever_came_of_its_snapshot():
    league = new_league(GAME, "ppo", LEAGUES["full"])
    main, exploiter, _ = league.learners
    after_turn(league, main, joined(100, random=(6, 1, 3)), ["random"])
    after_turn(league, exploiter, TurnResult(40), ["random"])
    after_turn(league, main, TurnResult(220, "refused"), ["random"])
    assert (league.step, turns_taken(league)) == (260, 3)
    assert (main.turns, main.step, main.turns_since_member, main.refused) == (2, 220, 1, 1)
    assert (exploiter.turns, exploiter.turns_since_member) == (1, 1)
    assert [member.name for member in league.members] == ["main-0001"]


def test_who_joins_is_rated_and_follows_its_parent():
    league = new_league(GAME, "ppo", LEAGUES["full"])
    main, exploiter, _ = league.learners
    after_turn(league, main, joined(10, random=(6, 1, 3)), ["random"])
    after_turn(league, exploiter, joined(5, random=(5, 0, 5)), ["random"])
    after_turn(league, main, joined(20, **{"random": (9, 1, 0), "main-0001": (7, 0, 3)}), ["random"])
    folders = [member.folder for member in league.members]
    assert folders == ["snapshot-0001", "main-exploiter/snapshot-0001", "snapshot-0002"]
    assert folders[2] == snapshot_folder(league, main, 2)
    assert league.lineage("main-0002") == ["main-0002", "main-0001"]
    assert league.ratings["random"][0] == 0.0
    assert league.ratings["main-0002"][0] > league.ratings["main-0001"][0] > 0
    assert [point.name for point in league.history] == [member.name for member in league.members]


def test_what_a_file_held_goes_on_alike():
    config = LeagueConfig(self_play=0.5, pool=0.5, matchmaker="pfsp", payoff_decay=0.9)
    new, leagues = new_league(GAME, "ppo", config), []
    league = new_league(GAME, "ppo", config)
    for turn in (1, 2):
        after_turn(league, league.learners[0], joined(10 * turn, random=(turn, 1, 0)), ["random"])
    for one in (league, resumed_league(new, again(league))):
        main = one.learners[0]
        for results in ({"main-0001": (3, 0, 1)}, {"main-0001": (0, 2, 0), "main-0002": (1, 1, 5)}):
            after_games(one, main, results)
        after_turn(one, main, TurnResult(35, "refused"), ["random"])
        leagues.append((one.to_json(), next_opponents(one, main, config)))
    assert leagues[0] == leagues[1]
    assert sum(leagues[0][1].values()) == 1.0


def test_who_begins_anew_has_no_recent_scores_and_no_parent():
    league = new_league(GAME, "ppo", LEAGUES["full"])
    exploiter = league.learners[1]
    after_games(league, exploiter, {"main": (8, 0, 0)})
    after_turn(league, exploiter, joined(10), [])
    assert exploiter.parent == "main-exploiter-0001"
    after_reset(league, exploiter)
    assert (exploiter.parent, exploiter.resets) == (None, 1)
    assert league.training.recent_scores("main-exploiter", ["main"]) == [0.5]
    assert league.training.of("main-exploiter", "main").games == 8, "the whole record stays"
