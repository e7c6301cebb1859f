"""The parts of the screens that need no screen: words, series, table, thread."""

import asyncio
import threading
import time

import numpy as np
import pytest

from arena.match.ask import Answer
from arena.match.verdict import Reason, Verdict, forfeit
from arena.policy.registry import make_game
from arena.tui.services.background import BackgroundThread
from arena.tui.state.live_match import LiveMatch, first_position
from arena.tui.state.series import Series
from arena.tui.state.words import result
from tests.tui.agents import Cheating, FirstLegal

pytestmark = pytest.mark.full


@pytest.mark.parametrize(
    ("verdict", "sentence"),
    [
        (Verdict((1.0, -1.0)), "● you win after 7 moves"),
        (Verdict((-1.0, 1.0)), "○ bot wins after 7 moves"),
        (Verdict((0.0, 0.0)), "a draw after 7 moves"),
        (forfeit(2, 0, Reason.RESIGNED), "● you resign"),
        (forfeit(2, 1, Reason.CRASHED, "ValueError: no"), "○ bot crashed (ValueError: no) and loses"),
        (forfeit(2, 1, Reason.ILLEGAL, "action 99"), "○ bot made an illegal move (action 99) and loses"),
    ],
)
def test_results_are_said_in_words(verdict, sentence):
    assert result(verdict, ["you", "bot"], 7) == sentence


def test_several_winners_share():
    assert result(Verdict((1.0, 1.0, -2.0)), ["a", "b", "c"], 3) == "● a and ○ b win after 3 moves: +1 – +1 – −2"


@pytest.mark.parametrize("earned", [0.0, 1.0, 7.0])
def test_a_team_neither_wins_nor_draws(earned):
    verdict = Verdict((earned, earned))
    assert result(verdict, ["a", "b"], 9, competitive=False) == f"the team earns {earned:g} after 9 moves"


def test_contestants_change_seats_and_keep_their_points():
    series = Series(["a", "b"])
    series.credit(Verdict((1.0, -1.0)))
    series.game = 1
    assert series.seated() == (1, 0)
    series.credit(Verdict((1.0, -1.0)))
    assert series.score == (1.0, 1.0)
    series.credit(Verdict((0.0, 0.0)))
    assert series.score == (1.5, 0.5)
    series.credit(None)
    assert series.score == (1.0, 0.0)


def test_first_seat_is_that_of_the_first_contestant():
    series = Series(["you", "bot"], first_seat=1)
    assert series.seated() == (1, 0)
    assert [series.seat_of(0), series.seat_of(1)] == [1, 0]


def test_table_gives_a_snapshot_of_every_position():
    table = LiveMatch(make_game("tic_tac_toe"))
    positions = table.deal([("you", None), ("bot", FirstLegal())], 0, (4,))
    answer, position = table.advance()
    assert [p.move for p in (*positions, position)] == ["", "b2", "a1"]
    assert [p.action for p in (*positions, position)] == [None, 4, 0]
    assert positions[0].picture.pieces.max() == -1
    assert positions[1].chances(answer) == {action: float(action == 0) for action in range(9) if action != 4}
    assert positions[1].on_cells({0: 1.0})[(0, 0)] == 1.0


def test_table_ends_with_the_verdict_on_an_agent_that_forfeits():
    table = LiveMatch(make_game("tic_tac_toe"))
    table.deal([("bad", Cheating()), ("you", None)], 0)
    _, position = table.advance()
    assert position.action is None
    assert position.legal == {}
    assert position.verdict == forfeit(2, 0, Reason.ILLEGAL, "action 99")


@pytest.mark.parametrize("probs", [None, np.ones(4), np.full(9, np.nan), np.full(9, -1.0), np.ones((9, 9))])
def test_nonsense_is_no_chances(probs):
    table = LiveMatch(make_game("tic_tac_toe"))
    (position,) = table.deal([("a", None), ("b", None)], 0)
    assert position.chances(Answer(0, probs=probs)) == {}
    assert position.on_cells({}) == {}


def test_first_position_needs_no_match():
    position = first_position(make_game("connect_four"))
    assert position.seat == 0
    assert position.targets == {}


async def test_jobs_run_one_after_another_in_a_daemon_thread():
    thread, seen = BackgroundThread(), []

    def job(number):
        seen.append((number, threading.current_thread().daemon))
        time.sleep(0.01)
        return number

    assert await asyncio.gather(*(thread.run(lambda i=i: job(i)) for i in range(3))) == [0, 1, 2]
    assert seen == [(0, True), (1, True), (2, True)]


async def test_what_a_job_raises_comes_home():
    with pytest.raises(ZeroDivisionError):
        await BackgroundThread().run(lambda: 1 / 0)


async def test_a_job_given_up_before_its_start_is_left_out():
    thread, release, seen = BackgroundThread(), threading.Event(), []
    first = asyncio.create_task(thread.run(lambda: release.wait(10)))
    second = asyncio.create_task(thread.run(lambda: seen.append(2)))
    await asyncio.sleep(0.01)
    second.cancel()
    await asyncio.sleep(0)
    release.set()
    assert await first
    await thread.run(lambda: seen.append(3))
    assert seen == [3]
