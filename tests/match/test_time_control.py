"""Time controls: how they are written, what they leave, and who loses by them."""

import time
from contextlib import closing
from itertools import pairwise

import numpy as np
import pytest

import games
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.match.contained import ContainedPolicy
from arena.match.limits import Limits
from arena.match.match import Match
from arena.match.time_control import GameClocks, TimeControl, left_after, read_time_control
from arena.match.verdict import Reason
from arena.policy.clock import ClockReading, read_clock
from arena.policy.protocol import Policy
from tests.match.players import Lowest

TIC_TAC_TOE = games.make("tic_tac_toe")


@pytest.mark.parametrize(
    ("text", "control", "pgn"),
    [
        ("60", TimeControl(60), "60"),
        ("10+0.1", TimeControl(10, 0.1), "10+0.1"),
        ("5m+2s", TimeControl(300, 2), "300+2"),
        ("5m+0", TimeControl(300), "300"),
        ("40/60", TimeControl(60, moves=40), "40/60"),
        ("40/5m+500ms", TimeControl(300, 0.5, 40), "40/300+0.5"),
        ("move=500ms", TimeControl(move_s=0.5), "1/0.5"),
        ("10+1, move=2", TimeControl(10, 1, move_s=2), "1/2:10+1"),
        ("nodes=1000,depth=8", TimeControl(nodes=1000, depth=8), "-"),
    ],
)
def test_a_time_control_is_read_and_written(text, control, pgn):
    assert read_time_control(text) == control == read_time_control(str(control))
    assert control.pgn == pgn


@pytest.mark.parametrize(
    "text", ["", "soon", "0", "-5", "10+", "+1", "10+-1", "0/60", "40/", "x/60", "10,20", "nodes=0", "depth=x", "move=",
             "speed=1", "nodes=1,nodes=2", "1e3", "١٠"],
)  # fmt: skip
def test_what_is_no_time_control_is_refused(text):
    with pytest.raises(UsageError, match=r"clock=.* is not a time control, as 10\+0.1, 5m\+2s"):
        Limits(clock=text)


def test_an_increment_is_gained_after_a_move_and_a_period_after_its_last():
    clocks = GameClocks(read_time_control("2/60+1"), 2)
    assert clocks.reading(0) == ClockReading(60, 60, 1, 2, 0, all_seconds_left=(60, 60))
    assert clocks.spend(0, 20)
    assert clocks.reading(0) == ClockReading(41, 41, 1, 1, 1, all_seconds_left=(41, 60))
    assert clocks.spend(0, 41)
    assert clocks.reading(0) == ClockReading(61, 61, 1, 2, 2, all_seconds_left=(61, 60))
    assert not clocks.spend(1, 60.01)
    assert clocks.left_s(1) < 0


def test_a_limit_of_a_move_holds_whatever_the_clock_of_the_game_says():
    clocks = GameClocks(read_time_control("60,move=5"), 1)
    assert clocks.reading(0).seconds_left == 5
    assert not clocks.spend(0, 6)
    assert clocks.reading(0).game_seconds_left == 54


def test_time_is_charged_without_a_move():
    clocks = GameClocks(read_time_control("60+1"), 2)
    clocks.charge(1, 15)
    assert (clocks.left_s(0), clocks.left_s(1)) == (60, 45)
    assert clocks.reading(1).game_seconds_left == 45
    GameClocks(read_time_control("nodes=100"), 2).charge(0, 15)  # there is no clock to charge


def test_the_time_left_after_moves():
    assert left_after(read_time_control("2/60+1"), [20, 41]) == 61
    assert left_after(read_time_control("move=5"), [1, 2]) is None


def test_a_reading_goes_through_observations():
    reading = ClockReading(1.5, 2.5, 0.1, 7, 3, None, 4, (2.5, 9.0))
    obs = Batch.cat([ClockReading(all_seconds_left=(1.0, 1.0)).to_arrays(), reading.to_arrays()])
    assert read_clock(obs, 1) == reading
    assert read_clock(obs, 0) == ClockReading(all_seconds_left=(1.0, 1.0))
    assert read_clock(Batch(mask=np.ones((1, 3)))) is None


class Slow(Policy):
    """Takes 50 ms a move, and writes down its clock."""

    def __init__(self):
        self.readings = []

    def forward(self, batch, state=None):
        self.readings.append(read_clock(batch.obs))
        time.sleep(0.05)
        return Batch(act=batch.obs.mask.argmax(axis=1))


def test_agents_are_told_their_clock_and_lose_when_it_has_run_down():
    slow = Slow()
    limits = Limits(clock="0.17+0.02", move_overhead="10ms")
    match = Match(TIC_TAC_TOE, [("slow", slow), ("low", Lowest())], limits=limits)
    record = match.play_out()
    left = [reading.game_seconds_left for reading in slow.readings]
    assert left[0] == pytest.approx(0.16)
    assert all(after <= before - 0.03 + 1e-9 for before, after in pairwise(left))
    assert (record.verdict.reason, record.verdict.offender) == (Reason.LATE, 0) or len(left) == 4
    late = Match(TIC_TAC_TOE, [("slow", slow), ("low", Lowest())], limits=Limits(clock="move=40ms")).play_out()
    assert (late.verdict.reason, late.verdict.offender, late.actions) == (Reason.LATE, 0, ())
    assert late.verdict.detail.startswith("its move took 0.0")


@pytest.mark.full
def test_the_way_to_a_process_is_not_the_players_time():
    limits = Limits(clock="60+1")
    with closing(ContainedPolicy("random", TIC_TAC_TOE, limits)) as agent:
        match = Match(TIC_TAC_TOE, [("random", agent), ("low", Lowest())], limits=limits)
        began = time.monotonic()
        answer = match.advance()
        assert 0 < answer.spent_s < time.monotonic() - began
        assert match.clocks.left_s(0) == pytest.approx(61 - answer.spent_s)


@pytest.mark.full
@pytest.mark.parametrize(
    ("spec", "clock", "message"),
    [
        ("random", "nodes=100", "random cannot be told nodes; it obeys neither nodes nor depth, and any clock"),
        ("mcts:50", "10,depth=3", "mcts:50 cannot be told depth; it obeys nodes, and any clock"),
    ],
)
def test_an_agent_that_cannot_be_told_its_limit_is_refused_at_once(spec, clock, message):
    with pytest.raises(UsageError, match=message):
        ContainedPolicy(spec, TIC_TAC_TOE, Limits(clock=clock))
