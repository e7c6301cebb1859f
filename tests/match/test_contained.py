"""Agents in processes of their own: whatever one does, it only loses its game, and leaves nothing behind."""

import os
import threading
import time
from pathlib import Path

import pytest

import games
from arena.base.errors import UsageError
from arena.match import process
from arena.match.contained import ContainedPolicy
from arena.match.limits import Limits
from arena.match.match import Match
from arena.match.time_control import TimeControl
from arena.match.verdict import Reason
from arena.policy.registry import make_agent
from arena.processes.tree import tree
from tests.match.players import Lowest
from tests.tiers import mostly_slow

pytestmark = pytest.mark.usefixtures("faulty_agents")
CONNECT_FOUR = games.make("connect_four")
MARK = "ARENA_TEST_SECRET"


@pytest.fixture
def contain():
    """Makes contained agents, and sees that nothing is left of them when they are closed."""
    before, made = set(tree(os.getpid())), []

    def make(spec, **limits):
        made.append(ContainedPolicy(spec, CONNECT_FOUR, Limits(**limits)))
        return made[-1]

    yield make
    for policy in made:
        policy.close()
        policy.close()
    wait_until(lambda: set(tree(os.getpid())) <= before)


def play(policy, seed=0, other=None):
    """A game against one that plays columns from the left; the agent is second."""
    limits = policy.limits if isinstance(policy, ContainedPolicy) else None
    match = Match(CONNECT_FOUR, [("low", other or Lowest()), ("agent", policy)], seed, limits=limits)
    while not match.over:
        match.advance()
    return match.record()


FAULTS = [
    ("raises", Reason.CRASHED, "RuntimeError: out of"),
    ("hangs", Reason.LATE, "no move within 1 s"),
    ("sleeps", Reason.LATE, "no move within 1 s"),
    ("prints", Reason.CRASHED, "printed more than 16 MB"),
    ("hoards", Reason.CRASHED, "used more than 600 MB of memory"),
    ("hoards below", Reason.CRASHED, "used more than 600 MB of memory"),
    ("scribbles", Reason.CRASHED, "sent a malformed answer"),
    ("floods", Reason.CRASHED, "answered with"),
    ("exits", Reason.CRASHED, "ended with status 3"),
    ("quits", Reason.CRASHED, "SystemExit: enough"),
    ("dies", Reason.CRASHED, "was killed by SIGSEGV"),
    ("complains", Reason.CRASHED, "ended with status 1: there is no engine"),
    ("hides", Reason.CRASHED, "has closed its connection"),
    ("illegal", Reason.ILLEGAL, "action -1"),
    ("garbage", Reason.CRASHED, "TypeError: act is <U2 of shape ()"),
    ("too many", Reason.CRASHED, "TypeError: act is int64 of shape (3,), not whole numbers of shape (1,)"),
    ("beyond", Reason.CRASHED, "sent a malformed answer"),
]
PATIENT = {"hoards", "hoards below", "prints", "floods", "hides"}
"""Those whose fault takes a while to show: their clock is a long one."""
QUICK = {"raises", "hangs", "exits", "illegal", "garbage"}
"""One fault of each kind: those of the default run."""
AGAIN = {"raises", "hangs", "prints", "exits", "hides", "garbage"}
"""Those that are seen to play another game: their process lives on, was killed, has ended, or is out of reach."""


@pytest.mark.full
@pytest.mark.parametrize(("how", "reason", "detail"), mostly_slow(FAULTS, QUICK, "waits for every fault"))
def test_whatever_an_agent_does_it_loses_this_game_and_plays_the_next(contain, how, reason, detail):
    limit = "60s" if how in PATIENT else "1s" if reason is Reason.LATE else "10s"
    policy = contain(f"faulty:{how}", time_per_move=limit, memory="600MB")
    for seed in range(2 if how in AGAIN else 1):
        record = play(policy, seed)
        assert (record.verdict.reason, record.verdict.offender) == (reason, 1)
        assert record.verdict.detail.startswith(detail)
        assert (record.actions, record.verdict.returns) == ((0, 0, 0), (1.0, -1.0))


@pytest.mark.full
def test_what_an_agent_has_forked_goes_with_it(contain):
    policy = contain("faulty:forks", memory="2GB")
    own = set(tree(os.getpid()))
    assert play(policy).verdict.reason is Reason.FINISHED
    children = set(tree(os.getpid())) - own
    assert len(children) == 4
    policy.close()
    wait_until(lambda: not any(map(alive, children)))


@pytest.mark.full
def test_one_that_is_stopped_is_late(contain):
    policy = contain("faulty:hangs", time_per_move="60s")
    match = Match(CONNECT_FOUR, [("low", Lowest()), ("agent", policy)])
    while len(match.actions) < 3:
        match.advance()
    threading.Timer(0.2, policy.stop).start()
    match.advance()
    assert (match.verdict.reason, match.verdict.offender) == (Reason.LATE, 1)


@pytest.mark.full
def test_an_agent_that_is_there_twice_answers_once(contain):
    policy = contain("faulty:doubles", time_per_move="10s")
    for seed in range(2):
        assert play(policy, seed).verdict.reason is Reason.FINISHED


@pytest.mark.full
def test_who_has_always_been_in_time_may_use_up_its_game(contain):
    policy = contain("faulty:thinks", time_per_game="2.5s")
    for seed in range(2):
        record = play(policy, seed)
        assert record.verdict.reason is Reason.LATE
        assert record.actions.count(0) + record.actions.count(1) == len(record.actions) == 7


@pytest.mark.full
@pytest.mark.parametrize(
    ("limits", "left"),
    [
        ({"time_per_move": "20s", "time_per_game": "90s"}, "20"),
        ({"time_per_game": "90s"}, "90"),
        ({"memory": "2GB"}, "nan"),
    ],
)
def test_an_agent_is_told_how_much_time_it_has(contain, limits, left):
    assert play(contain("faulty:tells the time", **limits)).verdict.detail == f"RuntimeError: {left} s left"


@pytest.mark.full
def test_an_agent_that_does_not_get_ready_is_late_with_its_first_move(contain):
    record = play(contain("faulty:hangs at the start", time_to_start="8s"))  # a process may take its time to start
    assert (record.verdict.reason, record.verdict.detail) == (Reason.LATE, "not ready for a game within 8 s")
    assert record.actions == (0,)


@pytest.mark.full
def test_games_are_those_of_the_same_agent_in_this_process(contain):
    for spec in ("alphabeta:3", "one-ply"):
        here, there = make_agent(spec, CONNECT_FOUR), contain(spec, time_per_move="60s")
        for seed in range(3):
            assert play(here, seed).actions == play(there, seed).actions


@pytest.mark.full
def test_a_killed_process_of_ours_takes_the_agent_with_it(tmp_path):
    script = f"""
import os, pathlib, signal
import games
from arena.match.contained import ContainedPolicy
from arena.match.limits import Limits
from arena.processes.tree import tree
policy = ContainedPolicy("faulty:raises", games.make("connect_four"), Limits(time_per_move="1s"))
pathlib.Path({str(tmp_path / "pids")!r}).write_text(" ".join(map(str, tree(os.getpid())[1:])))
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert process.subprocess.run([process.sys.executable, "-c", script]).returncode == -9
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert pids
    wait_until(lambda: not any(map(alive, pids)))


@pytest.mark.full
def test_secrets_of_the_environment_stay_here(contain, monkeypatch):
    monkeypatch.setenv(MARK, "abc")
    policy = contain("random", time_per_move="10s")
    children = set(tree(os.getpid())) - {os.getpid()}
    environments = [Path("/proc", str(pid), "environ").read_bytes() for pid in children if alive(pid)]
    assert environments
    assert not any(MARK.encode() in one for one in environments)
    assert play(policy).verdict.reason is Reason.FINISHED


@pytest.mark.full
@pytest.mark.parametrize(
    ("spec", "limits", "message"),
    [
        ("nobody", {"memory": "2GB"}, "unknown agent 'nobody'"),
        ("alphabeta:x", {"memory": "2GB"}, "the depth is not a whole number"),
        ("random", {"memory": "20MB"}, "random cannot be seated: used more than 20 MB of memory"),
        ("random", {"memory": "2GB", "time_to_start": "1ms"}, "random cannot be seated: not seated within 0.001 s"),
    ],
)
def test_who_cannot_be_seated_is_refused(spec, limits, message):
    with pytest.raises(UsageError, match=message):
        ContainedPolicy(spec, CONNECT_FOUR, Limits(**limits))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"time_per_move": "soon"}, "time_per_move=soon is not a number above 0 of ms, s, m, h, as 1s"),
        ({"time_per_move": "0s"}, "time_per_move=0s is not"),
        ({"time_per_game": "1"}, "time_per_game=1 is not"),
        ({"time_to_start": "-1s"}, "time_to_start=-1s is not"),
        ({"memory": "2 TB"}, "memory=2 TB is not a number above 0 of MB, GB, as 2GB"),
    ],
)
def test_limits_that_cannot_be_read_are_refused(wrong, message):
    with pytest.raises(UsageError, match=message):
        Limits(**wrong)


def test_limits_in_seconds_and_bytes():
    limits = Limits(time_per_move="500ms", time_per_game="2m", memory="1.5GB")
    assert (limits.control, limits.memory_bytes) == (TimeControl(base_s=120, move_s=0.5), 1_500_000_000)
    assert (limits.start_s, limits.overhead_s, Limits(move_overhead="30ms").overhead_s) == (60, 0, 0.03)
    with pytest.raises(UsageError, match=r"clock=10 and time_per_move or time_per_game: give one of them"):
        Limits(clock="10", time_per_move="1s")
    assert limits
    assert not Limits(time_to_start="5s")


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie, which whoever adopted it has yet to bury."""
    try:
        return Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
