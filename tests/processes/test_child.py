"""Children of ours at the other end of a pipe: they answer, say how they ended, and leave nothing behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from arena.base.errors import UsageError
from arena.processes.child import forked, ready
from arena.processes.fate import Fate
from arena.processes.inside import alive_with, messages, send
from arena.processes.local import LocalWorkers
from arena.processes.messages import Raised, attempt, loads, pack
from tests.env.test_processes import gone

pytestmark = pytest.mark.full


def echo(pipe, before=b""):
    """A child that says its words first, then gives back what it gets."""
    with alive_with(os.getppid()):
        send(pipe, before)
        for message in messages(pipe):
            send(pipe, message.upper())


def leave_behind(pipe):
    """A child that starts a program in a session of its own, and says which."""
    with alive_with(os.getppid()):
        left = subprocess.Popen(["sleep", "600"], start_new_session=True)
        send(pipe, str(left.pid).encode())
        for _ in messages(pipe):
            pass


@pytest.mark.parametrize("context", ["fork", "spawn", "forkserver"])
def test_a_child_answers_however_it_is_started_and_ends_with_its_pipe(context):
    child = forked(echo, [b"here"], context)
    assert child.pipe.recv_bytes() == b"here"
    child.pipe.send_bytes(b"move")
    assert ready({child.pipe: "its owner"}, 60.0) == ["its owner"]
    assert child.pipe.recv_bytes() == b"MOVE"
    child.end()
    child.end()
    assert gone([child.pid])


def test_the_fate_of_a_child_names_the_signal():
    child = forked(echo, [b""], "fork")
    os.kill(child.pid, signal.SIGKILL)
    assert child.fate() == Fate(code=-9)
    assert str(child.fate()) == "was killed by SIGKILL"
    child.end()


def test_a_signal_without_a_name_has_its_number():
    assert str(Fate(code=-40)) == "was killed by signal 40"


def test_a_child_that_is_collected_ends():
    child = forked(echo, [b""], "fork")
    pid = child.pid
    del child
    assert gone([pid])


@pytest.mark.parametrize("how", ["closed", "killed"])
def test_what_a_child_has_started_ends_with_it(how):
    child = forked(leave_behind, [], "fork")
    left = int(child.pipe.recv_bytes())
    if how == "killed":
        os.kill(child.pid, signal.SIGSTOP)  # so that it cannot do so itself
    child.end(0.5)
    assert gone([child.pid, left])


class Doubling:
    """Set-up and runner of jobs that double a number."""

    def runner(self):
        return self

    def do(self, job, common):
        return 2 * job + common

    def close(self):
        pass

    def lost(self, job, tries, how):
        return UsageError(how)


def test_workers_outlive_the_thread_that_started_them():
    workers = LocalWorkers(Doubling(), 2)
    thread = threading.Thread(target=lambda: list(workers.do([1, 2], 0)))
    thread.start()
    thread.join()
    time.sleep(0.2)
    assert sorted(workers.do([1, 2], 5)) == [(1, 7), (2, 9)]
    assert workers.deaths == 0
    workers.close()


BUSY = """
import os, subprocess, time
from arena.processes.child import forked
from arena.processes.inside import alive_with, send
def busy(pipe):
    with alive_with(os.getppid()):
        left = subprocess.Popen(["sleep", "600"], start_new_session=True)
        send(pipe, str(left.pid).encode())
        time.sleep(600)
child = forked(busy, [], "fork")
print(child.pid, child.pipe.recv_bytes().decode(), flush=True)
time.sleep(600)
"""


def test_a_busy_child_and_what_it_has_started_end_with_a_parent_that_is_killed(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(BUSY)
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    parent = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, env=environment)
    assert parent.stdout is not None
    with parent.stdout as stream:
        pids = [int(pid) for pid in stream.readline().split()]
    parent.kill()
    parent.wait()
    assert len(pids) == 2
    assert gone(pids)


class FormError(UsageError):
    """An error that pickle cannot rebuild."""

    def __init__(self, field, value):
        super().__init__(f"{field}={value}")


def refuse():
    raise FormError("games", 0)


def fail():
    raise OSError("no disk")


def test_errors_reach_the_parent_as_what_they_are():
    refused, failed = loads(pack(attempt(refuse))), loads(pack(attempt(fail)))
    assert (type(refused.error), str(refused.error)) == (UsageError, "games=0")
    assert isinstance(failed.error, OSError)
    assert "no disk" in failed.text


def test_an_answer_that_cannot_be_pickled_is_an_error():
    answer = loads(pack(threading.Lock()))
    assert isinstance(answer, Raised)
    assert "cannot pickle '_thread.lock' object" in answer.text
