"""Environments that fail, in every backend: who failed is named, and the others go on."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.base.errors import UsageError
from arena.env import DummyVectorEnv, ProcessOptions, ShmemVectorEnv, SubprocVectorEnv, WorkerError
from tests.env.test_processes import gone, pids_of
from tests.env.troubled import EXIT, KILL, RAISE, WRONG_SHAPE, Troubled

pytestmark = pytest.mark.full

PROCESSES = [SubprocVectorEnv, ShmemVectorEnv]
ALL = [DummyVectorEnv, *PROCESSES]


@pytest.fixture
def make():
    made = []

    def make(kind, count=3, **options):
        made.append(kind([lambda number=number: Troubled(number) for number in range(count)], **options))
        return made[-1]

    yield make
    for env in made:
        env.close()


@pytest.mark.parametrize("kind", ALL)
def test_an_environment_raises_and_the_others_keep_their_step(make, kind):
    env = make(kind)
    env.reset()
    with pytest.raises((KeyError, WorkerError), match="no such square"):
        env.step([0, RAISE, 0])
    with pytest.raises(UsageError, match=r"environments \[0, 2\] are busy"):
        env.step([0, 0], id=[0, 2])
    assert env.step(None)[0].tolist() == [[0, 1, 0], [2, 1, 0]]
    with pytest.raises(UsageError, match=r"environments \[1\] are done or not yet reset"):
        env.step([0, 0, 0])
    env.reset(1)
    assert env.step([0, 0, 0])[0].tolist() == [[0, 2, 0], [1, 1, 0], [2, 2, 0]]


@pytest.mark.parametrize("kind", PROCESSES)
def test_the_traceback_of_the_environment_is_told(make, kind):
    env = make(kind)
    env.reset()
    with pytest.raises(
        WorkerError, match=r"(?s)^environment 1 raised in its process \d+:.*troubled\.py.*KeyError"
    ) as e:
        env.step([0, RAISE, 0])
    assert isinstance(e.value.__cause__, KeyError)


@pytest.mark.parametrize("kind", ALL)
def test_after_a_failure_everything_may_be_reset(make, kind):
    env = make(kind)
    env.reset()
    with pytest.raises((KeyError, WorkerError)):
        env.step([0, RAISE, 0])
    assert env.reset()[0].tolist() == [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
    assert env.num_dropped_steps == 2
    assert env.step([0, 0, 0])[1].tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("kind", PROCESSES)
@pytest.mark.parametrize(("how", "said"), [(KILL, "was killed by SIGKILL"), (EXIT, "ended with status 3")])
def test_a_process_that_dies_in_the_middle_of_a_step_is_named(make, kind, how, said):
    env = make(kind)
    env.reset()
    with pytest.raises(WorkerError, match=rf"^environment 2 is lost: its process \d+ {said}"):
        env.step([0, 0, how])
    assert env.step(None)[0].tolist() == [[0, 1, 0], [1, 1, 0]]
    with pytest.raises(WorkerError, match="environment 2 is lost"):
        env.reset()
    assert env.reset([0, 1])[0].tolist() == [[0, 0, 0], [1, 0, 0]]
    assert env.step([0, 0], id=[0, 1])[1].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("kind", PROCESSES)
def test_a_process_killed_between_steps_is_named(make, kind):
    env = make(kind)
    pids = pids_of(env)
    os.kill(pids[0], signal.SIGKILL)
    assert gone(pids[:1])
    with pytest.raises(WorkerError, match=rf"^environment 0 is lost: its process {pids[0]} was killed by SIGKILL"):
        env.step([0, 0, 0])


@pytest.mark.parametrize("kind", PROCESSES)
def test_one_that_sleeps_forever_is_named_and_killed_at_the_end(make, kind):
    env = make(kind, processes=ProcessOptions(hang_timeout_s=2.0))
    pids = pids_of(env)
    start = time.monotonic()
    with pytest.raises(WorkerError, match=r"^environment 1 hangs: its process \d+ has not answered for 2 s"):
        env.step([0, 3_600_000, 0])
    with pytest.raises(WorkerError, match="environment 1 hangs"):
        env.reset(1)
    env.close()
    assert time.monotonic() - start < 600
    assert gone(pids)


@pytest.mark.parametrize("kind", PROCESSES)
def test_a_late_answer_is_never_taken_for_the_next(make, kind):
    env = make(kind, processes=ProcessOptions(hang_timeout_s=2.0))
    env.reset()
    with pytest.raises(WorkerError, match="environment 1 hangs"):
        env.step([7, 2500, 9])
    env.step(None)
    assert env.reset(1)[0].tolist() == [[1, 0, 0]]
    assert env.step([1, 2, 3])[0].tolist() == [[0, 2, 1], [1, 1, 2], [2, 2, 3]]


@pytest.mark.parametrize("kind", PROCESSES)
def test_the_first_reset_may_be_late(make, kind):
    env = make(kind, processes=ProcessOptions(hang_timeout_s=2.0))
    with pytest.raises(WorkerError, match="environment 0 hangs"):
        env.reset(options={"sleep_s": 2.5})
    time.sleep(1.0)
    assert env.reset()[0].tolist() == [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
    assert env.step([5, 6, 7])[0].tolist() == [[0, 1, 5], [1, 1, 6], [2, 1, 7]]


@pytest.mark.parametrize("kind", PROCESSES)
def test_asynchronous_steps_name_who_hangs(make, kind):
    env = make(kind, processes=ProcessOptions(hang_timeout_s=2.0), wait_num=1)
    env.reset()
    env.step([0, 3_600_000, 0])
    env.step(None)
    with pytest.raises(WorkerError, match=r"^environment 1 hangs"):
        env.step(None)
    assert env.reset([0, 2])[0].tolist() == [[0, 0, 0], [2, 0, 0]]


@pytest.mark.parametrize("kind", ALL)
def test_a_wrong_shape_is_told(make, kind):
    env = make(kind)
    env.reset()
    expected = "environment 2 returned an observation of shape (2,); that of environment 0 has (3,)"
    with pytest.raises(UsageError, match=re.escape(expected)):
        env.step([0, 0, WRONG_SHAPE])
    assert env.reset()[0].shape == (3, 3)
    assert env.step([0, 0, 0])[0].shape == (3, 3)


PARENT = """
import os, sys, time
from arena.env import ProcessOptions, ShmemVectorEnv
from tests.env.troubled import Troubled
env = ShmemVectorEnv([Troubled] * 3, processes=ProcessOptions(context={context!r}))
if __name__ == "__main__":
    print(*[info["pid"] for info in env.reset()[1]], flush=True)
    sys.stdin.readline()
    env.step([0, 3_600_000 if {busy} else 0, 0])
    {then}
"""


@pytest.mark.parametrize(
    ("sign", "busy", "then", "status"),
    [
        (signal.SIGKILL, True, "", -signal.SIGKILL),
        (signal.SIGKILL, False, "time.sleep(60)", -signal.SIGKILL),
        (signal.SIGINT, True, "", -signal.SIGINT),
        (None, False, "raise SystemExit(5)", 5),
        (None, False, "1 / 0", 1),
    ],
)
def test_nothing_survives_the_parent(sign, busy, then, status):
    code = PARENT.format(context="fork", busy=busy, then=then)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    parent = subprocess.Popen([sys.executable, "-c", code], **pipes, text=True, start_new_session=True)
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(pids) == 3
    shared = {memory for pid in pids for memory in re.findall(r"/dev/shm/\S+", Path(f"/proc/{pid}/maps").read_text())}
    assert shared
    print(file=parent.stdin, flush=True)
    if sign is not None:
        time.sleep(0.1)
        (os.killpg if sign == signal.SIGINT else os.kill)(parent.pid, sign)
    _, errors = parent.communicate(timeout=20)
    assert parent.returncode == status, errors
    assert gone(pids)
    assert not any(Path(memory).exists() for memory in shared)
    assert "resource_tracker" not in errors
    assert "Exception ignored" not in errors
