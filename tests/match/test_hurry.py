"""A person at the keyboard: agents in processes of their own tell their thoughts, and can be hurried and stopped."""

import threading
import time

import numpy as np
import pytest

import games
from arena.match.contained import ContainedPolicy
from arena.match.limits import Limits
from arena.match.match import Match
from arena.match.verdict import Reason
from arena.policy.registry import make_agent

pytestmark = pytest.mark.full

GAME = games.make("tic_tac_toe")
ENDLESS = "mcts:1000000000"
LARGE = games.make("tic_tac_toe", m=9, n=9, k=5)


@pytest.fixture
def contain():
    made = []

    def make(spec, game=GAME, later=False):
        made.append(ContainedPolicy(spec, game, Limits(time_to_start="10m"), tells=True, later=later))
        return made[-1]

    yield make
    for policy in made:
        policy.close()


def test_what_an_agent_tells_comes_home(contain):
    match = Match(GAME, [("agent", contain("mcts:50")), ("you", None)])
    there, here = match.consult(match.players[0][1]), match.consult(make_agent("mcts:50", GAME))
    assert there.probs.shape == there.visits.shape == here.visits.shape
    assert there.visits.sum() > 0
    assert there.visits.dtype == np.int32
    assert -1 <= there.value <= 1
    assert there.pv[0] == there.action


def test_one_that_tells_nothing_is_no_worse(contain):
    match = Match(GAME, [("agent", contain("random")), ("you", None)])
    answer = match.advance()
    assert answer.failure is None
    assert (answer.visits, answer.pv) == (None, None)


@pytest.mark.parametrize("contained", [True, False])
def test_a_search_that_is_hurried_answers_with_what_it_has(contain, contained):
    policy = contain(ENDLESS, LARGE) if contained else make_agent(ENDLESS, LARGE)
    match = Match(LARGE, [("agent", policy), ("you", None)])
    for _ in range(2):  # the next search is not hurried by what came too late for the last
        answers: list[object] = []
        thread = threading.Thread(target=lambda answers=answers: answers.append(match.consult(policy)), daemon=True)
        thread.start()
        thread.join(0.3)
        assert not answers
        deadline = time.monotonic() + 60
        while thread.is_alive():
            assert time.monotonic() < deadline
            policy.hurry()
            thread.join(0.2)
        assert match.legal[answers[0].action]
        policy.hurry()


def test_one_that_is_stopped_loses_and_plays_the_next_game(contain, faulty_agents):
    policy = contain("faulty:hangs", later=True)
    match = Match(GAME, [("agent", policy), ("you", None)])
    match.advance()
    match.play(int(match.legal.argmax()))
    threading.Timer(0.5, policy.stop).start()
    match.advance()
    assert match.verdict.reason is Reason.LATE
    assert match.verdict.detail == "was stopped"
    again = Match(GAME, [("agent", policy), ("you", None)])
    assert again.advance().failure is None
