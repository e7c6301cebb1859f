"""Searches under a clock: what they spend, and that they are never late."""

import time

import numpy as np
import pytest

import games
from agents.search.budget import Budget
from agents.search.time_management import budget_for, seconds_for
from arena.data.batch import Batch
from arena.match.limits import Limits
from arena.match.match import Match
from arena.match.verdict import Reason
from arena.policy.clock import ClockReading
from arena.policy.registry import make_agent

CONNECT_FOUR, CHESS = games.make("connect_four"), games.make("chess")


def game_of(game, left_s, increment_s, moves, period=None):
    """Seconds spent on each of so many moves by one who spends what it is told."""
    spent = []
    for move in range(moves):
        to_go = None if period is None else period - move % period
        spent.append(seconds_for(game, ClockReading(left_s, left_s, increment_s, to_go, move)))
        left_s += increment_s - spent[-1]
        if to_go == 1:
            left_s += 60
        assert left_s > 0
    return spent, left_s


@pytest.mark.parametrize(("left_s", "increment_s"), [(60, 0), (10, 0.1), (1, 0.01), (0.1, 0.05), (300, 3)])
def test_a_game_of_any_length_is_played_within_its_clock(left_s, increment_s):
    for moves in (20, 40, 200):
        spent, left = game_of(CHESS, left_s, increment_s, moves)
        assert min(spent) > 0
        assert left >= min(0.05, left_s / 2)
    first, rest = spent[0], spent[1:40]
    assert first < 0.2 * (left_s + increment_s)
    assert left_s <= 1 or sum([first, *rest]) > 0.6 * left_s


def test_a_period_is_used_up_by_its_last_move():
    spent, left_s = game_of(CHESS, 60, 0, 40, period=20)
    assert sum(spent[:20]) > 0.85 * 60
    assert left_s < 80


def test_a_clock_takes_the_place_of_a_count_that_nobody_asked_for():
    obs = ClockReading(60, 60).to_arrays()
    assert budget_for(CHESS, Budget(1000, usual=True), obs, 0, "nodes").count is None
    asked = budget_for(CHESS, Budget(400), obs, 0, "nodes")
    assert (asked.count, asked.seconds) == (400, budget_for(CHESS, Budget(None, 60.0), obs, 0, "nodes").seconds)
    assert budget_for(CHESS, Budget(None, 0.5), obs, 0, "nodes").seconds == 0.5
    assert budget_for(CHESS, Budget(4), Batch(mask=np.ones((1, 1))), 0, "depth") == Budget(4)


@pytest.mark.full
def test_limits_of_the_search_itself_are_obeyed():
    obs = ClockReading(nodes=50, depth=2).to_arrays()
    assert budget_for(CHESS, Budget(400), obs, 0, "nodes") == Budget(50)
    assert budget_for(CHESS, Budget(4, usual=True), obs, 0, "depth") == Budget(2)
    match = Match(CONNECT_FOUR, [("", None)] * 2)
    answer = match.consult(make_agent("mcts", CONNECT_FOUR), ClockReading(nodes=50))
    assert answer.visits.sum() in (49, 50)


@pytest.mark.full
@pytest.mark.parametrize("spec", ["alphabeta", "mcts", "mcts:100000000"])
def test_a_search_answers_within_its_share_of_the_clock(spec):
    policy = make_agent(spec, CONNECT_FOUR)
    match = Match(CONNECT_FOUR, [("", None)] * 2)
    match.consult(policy, ClockReading(0.2, 0.2))  # compiled or loaded
    began = time.process_time()
    match.consult(policy, ClockReading(4, 4))
    assert time.process_time() - began < 2  # of processor: others may have the machine


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "players"),
    [
        ("connect_four", ("alphabeta", "mcts")),
        ("leduc_poker", ("ismcts", "ismcts:50")),
        ("tic_tac_toe", ("rave", "rave:50")),
        ("chess", ("alphabeta", "alphabeta:1")),
    ],
)
def test_whole_games_are_played_in_time(name, players):
    game = games.make(name)
    agents = [make_agent(spec, game) for spec in players]
    for policy in agents:  # compiled or loaded
        Match(game, [("", None)] * 2).consult(policy, ClockReading(0.2, 0.2))
    record = Match(game, list(zip(players, agents, strict=True)), limits=Limits(clock="2+0.02")).play_out()
    assert record.verdict.reason is Reason.FINISHED
