"""Threads that share a call: every row is done once, by whoever comes, and nobody waits for one who does not."""

import gc
import threading
import weakref
from time import monotonic, perf_counter

import numpy as np
import pytest
from numba import njit

from arena.env import row_threads
from arena.env.row_threads import LONG_S, PATIENCE, SHORT_S, SOON_S, RowThreads
from games.engine.row_sharing import (
    CALL,
    RowShare,
    enter,
    leave,
    look_for_another,
    new_gate,
    pause,
    polls_per_s,
    take,
)

pytestmark = pytest.mark.full


@njit(nogil=True)
def visit(share, visits, who, pauses):
    first, last = enter(share, visits.shape[0])
    while first < last:
        for row in range(first, last):
            visits[row] += 1
            who[row] = share.thread
            for _ in range(pauses):
                pause()
        first, last = take(share, visits.shape[0])
    leave(share)


def share_a_call(threads, visits):
    gate, who = threads.gate, np.zeros(len(visits), np.int64)
    threads.share(lambda thread, call: visit(RowShare(gate, thread, call), visits, who, 0), len(visits))


@pytest.fixture
def cores(monkeypatch):
    monkeypatch.setattr(row_threads, "usable_cores", lambda: 3)


@pytest.fixture
def asked(monkeypatch):
    """The calls that helpers are asked to take part in, who do not come."""
    calls: list[int] = []
    monkeypatch.setattr(row_threads._Helper, "ask", lambda self, work, call: calls.append(call))
    return calls


@pytest.mark.usefixtures("cores")
@pytest.mark.parametrize("size", [0, 1, 2, 3, 100])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_each_row_is_done_once(size, count, monkeypatch):
    monkeypatch.setattr(row_threads, "LONG_S", -1.0)  # always ask
    threads, visits, who = RowThreads(count), np.zeros(size, np.int64), np.zeros(size, np.int64)
    for number in range(1, 300):
        threads.share(lambda thread, call: visit(RowShare(threads.gate, thread, call), visits, who, 1), size)
        assert (visits == number).all()


def test_a_helper_does_some_of_the_rows():
    threads, who = RowThreads(2), np.zeros(64, np.int64)
    if len(threads.gate) == len(new_gate(1)):
        pytest.skip("this process may use one core only")
    end = monotonic() + 20
    while set(who.tolist()) != {0, 1} and monotonic() < end:
        threads.share(lambda thread, call: visit(RowShare(threads.gate, thread, call), who.copy(), who, 1000), len(who))
    assert set(who.tolist()) == {0, 1}


@pytest.mark.usefixtures("cores")
def test_nobody_waits_for_one_who_does_not_come(asked):
    threads, visits, who = RowThreads(3), np.zeros(100, np.int64), np.full(100, -1)
    threads.share(lambda thread, call: visit(RowShare(threads.gate, thread, call), visits, who, 0), 100)
    assert asked == [1, 1]  # both
    assert (visits == 1).all()
    assert (who == 0).all()


def test_one_who_comes_late_does_nothing():
    gate, visits, who = new_gate(2), np.zeros(10, np.int64), np.zeros(10, np.int64)
    visit(RowShare(gate, 0, 1), visits, who, 0)
    visit(RowShare(gate, 1, 1), visits, who, 0)
    assert (visits == 1).all()
    assert (gate[:2] == 0).all()  # closed, and nobody inside


@pytest.mark.usefixtures("cores")
@pytest.mark.parametrize(
    ("call_s", "since_s", "worth_it"),
    [(2 * LONG_S, 1, True), (LONG_S / 2, 1, False), (2 * SHORT_S, 0, True), (SHORT_S / 2, 0, False)],
)
def test_long_calls_wake_helpers_and_short_ones_that_follow_soon(call_s, since_s, worth_it, asked):
    threads = RowThreads(2)
    threads._row_s, threads._ended = call_s / 10, perf_counter() - since_s
    threads.share(lambda thread, call: None, 10)
    assert bool(asked) == worth_it


@pytest.mark.usefixtures("cores")
@pytest.mark.parametrize(
    ("call_s", "gaps_s", "worth_it"),
    [
        (LONG_S / 2, [SOON_S / 2, 2 * SOON_S], True),  # they wait some times as long as a call lasts
        (LONG_S / 2, [2 * PATIENCE * LONG_S, 2 * SOON_S], False),  # but not where the latest came later than that
        (2 * SHORT_S, [SOON_S / 2, 2 * SOON_S], False),
    ],
)
def test_helpers_wait_longer_for_longer_calls(call_s, gaps_s, worth_it, asked, monkeypatch):
    monkeypatch.setattr(row_threads, "perf_counter", lambda: 100.0)
    threads = RowThreads(2)
    for gap_s in gaps_s:
        asked.clear()
        threads._row_s, threads._ended = call_s / 10, 100.0 - gap_s
        threads.share(lambda thread, call: None, 10)
    assert bool(asked) == worth_it


def test_helpers_look_as_often_as_they_are_told():
    gate, looks = new_gate(2), int(polls_per_s() * 0.05)
    start = perf_counter()
    look_for_another(gate, 1, looks)
    assert perf_counter() - start > 0.01, "on a machine that was busier when it was measured"
    gate[CALL, 0] = 2
    start = perf_counter()
    look_for_another(gate, 1, 10**12)
    assert perf_counter() - start < 10, "the gate is open"


def test_there_are_no_more_threads_than_cores(monkeypatch, asked):
    monkeypatch.setattr(row_threads, "usable_cores", lambda: 1)
    threads = RowThreads(8)
    threads.share(lambda thread, call: None, 10)
    assert (len(threads.gate), asked) == (len(new_gate(1)), [])


@pytest.mark.usefixtures("cores")
def test_threads_end_with_their_owner_and_forget_what_they_did():
    before = threading.enumerate()  # of other tests, some may end meanwhile
    threads, visits = RowThreads(3), np.zeros(10, np.int64)
    share_a_call(threads, visits)
    mine = [thread for thread in threading.enumerate() if thread.name == "games" and thread not in before]
    assert len(mine) == 2
    gone = weakref.ref(threads)
    del threads
    gc.collect()
    assert gone() is None
    for thread in mine:
        thread.join(20)
        assert not thread.is_alive()
    used = weakref.ref(visits)
    del visits
    assert used() is None
