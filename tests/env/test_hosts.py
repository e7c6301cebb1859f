"""Several environments in one process: one message a step, and one fate."""

import os
import signal

import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.env import ProcessOptions, ShmemVectorEnv, SubprocVectorEnv, WorkerError
from arena.env.workers.messages import pack_answers, pack_requests, unpack_answers, unpack_requests
from arena.env.workers.subproc import SubprocEnvWorker
from arena.processes.messages import Raised
from tests.env.test_processes import gone, pids_of
from tests.env.troubled import KILL, RAISE, Troubled

KINDS = [SubprocVectorEnv, ShmemVectorEnv]
TWO = ProcessOptions(2)
LONG = 2000  # milliseconds, far beyond what a step without sleep takes, on a slow machine too


@pytest.fixture
def make():
    made = []

    def make(kind, count=5, processes=TWO, **options):
        env_fns = [lambda number=number: Troubled(number) for number in range(count)]
        made.append(kind(env_fns, processes=processes, **options))
        return made[-1]

    yield make
    for env in made:
        env.close()


@pytest.mark.parametrize("kind", KINDS)
def test_environments_are_dealt_out_in_turn(make, kind):
    env = make(kind)
    pids = pids_of(env)
    assert pids == [pids[0], pids[1], pids[0], pids[1], pids[0]]
    assert pids[0] != pids[1]
    assert env.step([1, 2, 3], id=[4, 0, 1])[0].tolist() == [[4, 1, 1], [0, 1, 2], [1, 1, 3]]
    assert env.get_env_attr("steps") == [1, 1, 0, 0, 1]
    env.close()
    assert gone(pids[:2])


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_one_that_raises_shares_its_process_with_others_unharmed(make, kind):
    env = make(kind)
    env.reset()
    with pytest.raises(WorkerError, match=r"(?s)^environment 2 raised in its process.*no such square"):
        env.step([0, 0, RAISE, 0, 0])
    assert env.step(None)[0][:, 0].tolist() == [0, 1, 3, 4]
    env.reset(2)
    assert env.step([0] * 5)[0][:, 1].tolist() == [2, 2, 1, 2, 2]


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_a_process_that_dies_takes_its_environments_along(make, kind):
    env = make(kind)
    env.reset()
    with pytest.raises(WorkerError, match=r"^environment 1 is lost: its process \d+ was killed by SIGKILL") as told:
        env.step([0, 0, 0, KILL, 0])
    assert any("environment 3 is lost" in note for note in told.value.__notes__)
    assert env.step(None)[0][:, 0].tolist() == [0, 2, 4]
    with pytest.raises(WorkerError, match="environment 1 is lost"):
        env.reset(1)
    assert env.step([0, 0, 0], id=[0, 2, 4])[0][:, 1].tolist() == [2, 2, 2]


@pytest.mark.full
def test_time_to_answer_is_counted_for_each_environment(make):
    env = make(SubprocVectorEnv, count=4, processes=ProcessOptions(1, hang_timeout_s=2.0))
    env.reset()
    assert len(env.step([800, 800, 800, 800])[0]) == 4
    with pytest.raises(WorkerError, match=r"^environment 2 hangs: its process \d+ has not answered for 2 s"):
        env.step([3_600_000], id=[2])


@pytest.mark.full
def test_those_of_one_process_finish_together(make):
    env = make(SubprocVectorEnv, count=4, wait_num=1)
    env.reset()
    *_, info = env.step([0, LONG, 0, LONG])
    *_, more = env.step(None)
    assert [one["env_id"] for one in (*info, *more)] == [0, 2]
    # while the other process is busy, what is asked of it follows upon its step, and holds up nobody else
    env.step([0], id=0)
    assert sorted(env.step(None)[4][0]["env_id"] for _ in range(2)) == [1, 3]


@pytest.mark.parametrize("num_workers", [0, 6, -1])
def test_processes_are_no_more_than_environments(make, num_workers):
    with pytest.raises(UsageError, match=rf"num_workers={num_workers} is not between 1 and the number of environments"):
        make(SubprocVectorEnv, processes=ProcessOptions(num_workers))


def test_one_that_cannot_be_made_is_named():
    def broken():
        raise OSError("no such world")

    with pytest.raises(WorkerError, match=r"(?s)^environment 1 raised in its process.*no such world"):
        SubprocVectorEnv([Troubled, broken], processes=ProcessOptions(1))


def test_a_worker_alone_has_a_process_of_its_own():
    worker = SubprocEnvWorker(lambda: Troubled(3), share_memory=True)
    obs, info = worker.reset(seed=1)
    assert obs.tolist() == [3, 0, 0]
    assert worker.step(5)[0].tolist() == [3, 1, 5]
    os.kill(info["pid"], signal.SIGKILL)
    with pytest.raises(WorkerError, match="the environment is lost"):
        worker.step(1)
    worker.close()
    worker.close()
    with pytest.raises(UsageError, match="the environment is closed"):
        worker.reset()


def same(one, other) -> bool:
    return (
        type(one) is type(other)
        and np.array_equal(one, other)
        and getattr(one, "dtype", 0) == getattr(other, "dtype", 0)
    )


@pytest.mark.parametrize(
    "values",
    [
        [np.int64(3), np.int64(-1)],
        [np.float32(0.5), np.float64(0.5)],
        [3, np.int64(3)],
        [np.zeros((2, 3), np.uint8), np.ones((2, 3), np.uint8)],
        [np.zeros(2), np.zeros(3)],
        [np.array(1), np.array(2)],
        [np.array([None, "x"]), np.array(["y", None])],
        [np.bool_(True), np.bool_(False)],
        [np.zeros((2, 0), np.int8), np.zeros((2, 0), np.int8)],
        [np.arange(6, dtype=">i4").reshape(2, 3).T, np.zeros((3, 2), ">i4")],
        [np.ma.array([1, 2]), np.ma.array([3, 4])],
        [np.datetime64("2026-01-01"), np.datetime64("2026-01-02")],
        [(1, 2), [3]],
        ["left", "right"],
    ],
)
def test_what_goes_through_the_pipe_is_what_comes_out(values):
    requests = [(slot, "step", (value,)) for slot, value in enumerate(values)]
    for (slot, name, (value,)), (slot_, name_, (value_,)) in zip(
        requests, unpack_requests(pack_requests(requests)), strict=True
    ):
        assert (slot, name) == (slot_, name_)
        assert same(value, value_)
    answers = [(value, 1.0, False, True, {"n": i}) for i, value in enumerate(values)]
    for told, heard in zip(answers, unpack_answers(pack_answers(requests, answers)), strict=True):
        assert same(told[0], heard[0])
        assert told[1:] == heard[1:]


def test_one_answer_that_cannot_leave_its_process_spoils_no_other():
    import threading

    requests = [(0, "step", (0,)), (1, "step", (0,))]
    answers = [(0, 0.0, False, False, {}), (threading.Lock(), 0.0, False, False, {})]
    fine, stuck = unpack_answers(pack_answers(requests, answers))
    assert fine == answers[0]
    assert isinstance(stuck, Raised)
    assert "lock" in stuck.text
