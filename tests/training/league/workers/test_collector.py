"""Games that others play: the same whoever plays them, whoever dies, and whether they go on from a file."""

import os
import signal

import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.processes.local import LocalWorkers
from arena.processes.tree import tree
from arena.processes.work import InProcessWorkers
from arena.training.league.workers.share import BoardShare, RolloutWorker
from tests.training.league.workers.small import BOARDS, MOVES, SHARES, collector, same, work

pytestmark = pytest.mark.full

STEPS = BOARDS * MOVES


@pytest.fixture
def member(tmp_path):
    return tmp_path / "member"


@pytest.fixture(scope="module")
def pool():
    workers = LocalWorkers(work(), 2)
    yield workers
    workers.close()


def rounds(made, count):
    """What each of so many rounds brought: its figures, and the transitions."""
    told = []
    for _ in range(count):
        stats = made.collect(n_step=STEPS)
        told.append((stats, made.buffer[:]))
        made.reset_buffer(keep_statistics=True)
    return told


def require_same(told, expected):
    for (stats, rows), (other_stats, other_rows) in zip(told, expected, strict=True):
        assert same(rows, other_rows)
        np.testing.assert_array_equal(stats.returns, other_stats.returns)
        np.testing.assert_array_equal(stats.players, other_stats.players)


def test_it_makes_no_difference_who_plays(member, pool):
    require_same(
        rounds(collector(pool, member), 4), rounds(collector(InProcessWorkers(RolloutWorker(work())), member), 4)
    )


@pytest.mark.slow("kills it again and again")
def test_nor_whether_they_die(member):
    expected = rounds(collector(InProcessWorkers(RolloutWorker(work())), member), 3)
    others = set(tree(os.getpid()))
    workers = LocalWorkers(work(), 1)
    made = collector(workers, member)
    told = rounds(made, 1)
    kill_all_but(others)  # between two rounds
    told += rounds(made, 1)
    assert told[-1][0].n_lost_workers == workers.deaths == 1
    made._next = made._start(MOVES)
    kill_all_but(others)  # at work
    told += rounds(made, 1)
    assert told[-1][0].n_lost_workers == 1
    require_same(told, expected)
    made._next = made._start(MOVES)
    made.close()
    workers.close()
    assert set(tree(os.getpid())) <= others, "nobody is left, though somebody was in the middle of something"


def kill_all_but(others):
    killed = set(tree(os.getpid())) - others
    assert killed
    for pid in killed:
        os.kill(pid, signal.SIGKILL)


def test_a_share_that_nobody_survives_is_told_in_a_line():
    told = work().lost(BoardShare(0, 5, MOVES, 1, None), 3, "was killed by SIGKILL")
    assert str(told).startswith("a worker was killed by SIGKILL in 3 tries to play on 5 boards; with fewer boards")


def test_every_transition_leads_to_the_next_one_of_its_seat(member, pool):
    made = collector(pool, member)
    for _ in range(8):  # which together fit into the buffer
        made.collect(n_step=BOARDS)
    buffer = made.buffer
    places = buffer.sample_indices(0)
    later = buffer.next(places)
    follows = later != places
    assert follows.sum() > BOARDS
    for key in ("obs", "mask"):
        np.testing.assert_array_equal(buffer.obs_next[key][places[follows]], buffer.obs[key][later[follows]])
    size = buffer.maxsize // buffer.buffer_num
    np.testing.assert_array_equal(buffer.obs.agent_id[places], places // size % 2)
    assert set(buffer.info.policy_id[places].tolist()) == {0}
    assert set(np.unique(buffer.info.players[places]).tolist()) == {-1, 0, 1}


def test_it_goes_on_from_a_file(member, pool):
    whole, first, second = (collector(pool, member) for _ in range(3))
    expected = rounds(whole, 2)
    rounds(first, 2)
    for made in (whole, second):
        made.begin(6)
    second.load_state_dict(Batch(first.state_dict(), copy=True))
    np.testing.assert_array_equal(second.policy.seated(np.arange(BOARDS)), whole.policy.seated(np.arange(BOARDS)))
    require_same(rounds(second, 2), rounds(whole, 2))
    assert not same(expected[0][1], rounds(whole, 1)[0][1])


def test_new_games_begin_when_asked(member, pool):
    made, fresh = collector(pool, member), collector(pool, member)
    rounds(made, 2)
    made.reset(gym_reset_kwargs={"seed": 5})
    require_same(rounds(made, 2), rounds(fresh, 2))


@pytest.mark.slow("collects with workers three times")
def test_playing_ahead_is_the_same_every_time_and_counts_what_is_stale_and_dropped(member, pool):
    made, again = (
        collector(workers, member, ahead=True) for workers in (pool, InProcessWorkers(RolloutWorker(work())))
    )
    told = rounds(made, 3)
    require_same(told, rounds(again, 3))
    assert [stats.n_stale_steps for stats, _ in told] == [0, STEPS, STEPS]
    arrays = made.state_dict()
    made.begin(9)
    ((stats, rows),) = rounds(made, 1)
    assert (stats.n_dropped_steps, stats.n_stale_steps) == (STEPS, 0)
    other = collector(pool, member, ahead=True)
    other.load_state_dict(Batch(arrays, copy=True))
    other.begin(9)
    assert same(rounds(other, 1)[0][1], rows), "what was dropped has left no trace"
    for one in (made, again, other):
        one.close()


def test_a_member_that_has_changed_is_refused(member):
    made = collector(InProcessWorkers(RolloutWorker(work())), member)  # others may have read it before
    weights = member / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    with pytest.raises(UsageError, match=r"weights\.safetensors has changed"):
        made.collect(n_step=STEPS)


@pytest.mark.parametrize(
    ("amount", "message"),
    [
        ({"n_episode": 3}, "got n_step=None, n_episode=3"),
        ({"n_step": 0}, "1 or more; got n_step=0"),
        ({}, "n_step=None"),
    ],
)
def test_other_amounts_are_refused(member, pool, amount, message):
    with pytest.raises(UsageError, match=message):
        collector(pool, member).collect(**amount)


def test_more_shares_than_boards_are_refused(member, pool):
    with pytest.raises(UsageError, match=f"boards={BOARDS} cannot be divided into {BOARDS + 1} shares"):
        collector(pool, member, shares=BOARDS + 1)
    assert collector(pool, member, shares=SHARES).most_steps(BOARDS + 1) == 2 * BOARDS
