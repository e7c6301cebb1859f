"""Programs below a guard: nothing that they start outlives them, in bounds that nobody has to ask for."""

import os
import signal
import subprocess
import sys
import time

import pytest

from arena.processes.fate import Fate
from arena.processes.guarded import MOST_PROCESSES, Bounds, default_bounds, guarded, machine_memory
from arena.processes.tree import tree

pytestmark = pytest.mark.full

BOUNDS = Bounds(300_000_000, 20)
SLEEPER = "import subprocess\nchild = subprocess.Popen(['sleep', '600'])\n"
SESSION = "import subprocess\nchild = subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
DAEMON = """
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        import time
        time.sleep(600)
    os._exit(0)
os.wait()
"""
FIFTY = "import subprocess\nfor _ in range(50): subprocess.Popen(['sleep', '600'])\n"
BOMB = "import os\nfor _ in range(12): os.fork()\n"  # bounded, should nobody stop it


class Running:
    """A Python program below a guard, once it has said that it is there."""

    def __init__(self, code, bounds=BOUNDS):
        self.run = guarded([sys.executable, "-c", code], bounds)
        self.guard = self.run.start(stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def wait(self):
        assert self.guard.stdout.readline() == b"there\n"
        return tree(self.guard.pid)[1:]

    def end(self):
        self.run.end(self.guard)


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until_gone(pids, seconds=20.0):
    deadline = time.monotonic() + seconds
    while left := [pid for pid in pids if is_running(pid)]:
        assert time.monotonic() < deadline, left
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("more", "count"), [(SLEEPER, 1), (SESSION, 1), (DAEMON, 1), (FIFTY, 50)], ids=["child", "session", "daemon", "50"]
)
@pytest.mark.parametrize("then", ["import time; time.sleep(600)", "import os; os.kill(os.getpid(), 19)", ""])
def test_what_a_program_has_started_ends_with_it(more, count, then):
    running = Running(f"{more}print('there', flush=True)\n{then}", Bounds(0, 0))
    pids = running.wait()
    if not then:
        assert running.run.fate(20) == Fate(code=0)
        pids = tree(running.guard.pid)[1:]
    assert len(pids) >= count
    running.end()
    assert not [pid for pid in pids if is_running(pid)]


@pytest.mark.parametrize(
    ("code", "fate"),
    [
        ("raise SystemExit(3)", Fate(code=3)),
        ("import os; os.kill(os.getpid(), 11)", Fate(code=-11)),
        ("x = bytearray(b'x' * 10**9); import time; time.sleep(60)", Fate(excess="used more than 300 MB of memory")),
        (f"{FIFTY}import time; time.sleep(60)", Fate(excess="started more than 20 processes")),
        (
            "import subprocess, sys\n"
            "code = \"x = bytearray(b'x' * 2 * 10**8); import time; time.sleep(60)\"\n"
            "for _ in range(3): child = subprocess.Popen([sys.executable, '-c', code])\n"
            "child.wait()",
            Fate(excess="used more than 300 MB of memory"),
        ),
        (f"{BOMB}import time; time.sleep(60)", Fate(excess="started more than 20 processes")),
    ],
)
def test_its_fate_is_told(code, fate):
    running = Running(code)
    pids = tree(running.guard.pid)[1:]
    assert running.run.fate(30) == fate
    running.end()
    wait_until_gone(pids)


def test_nobody_asks_for_the_bounds():
    bounds = default_bounds()
    assert bounds == Bounds(machine_memory() // 2, MOST_PROCESSES)
    assert bounds.memory_bytes > 10**8
    run = guarded(["true"])
    assert run.argv[-4:] == [str(bounds.memory_bytes), str(MOST_PROCESSES), "0.0", "true"]
    for file in (run.inherited, run.lifeline):
        os.close(file)


def test_signals_that_python_ignores_reach_the_program_as_usual():
    run = guarded(["grep", "SigIgn", "/proc/self/status"])
    process = run.start(stdout=subprocess.PIPE)
    ignored = int(process.stdout.read().split()[1], 16)
    assert not ignored & (1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1)
    assert run.fate(20) == Fate(code=0)
    run.end(process)


def test_a_killed_guard_takes_the_program_with_it():
    running = Running("print('there', flush=True); import time; time.sleep(600)")
    pids = running.wait()
    running.guard.kill()
    wait_until_gone(pids)
    assert running.run.fate(5) is None
    running.end()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_who_ends_without_a_word_leaves_nothing(number, tmp_path):
    holder = (
        "import subprocess, sys, time, os\n"
        "from arena.processes.guarded import guarded\n"
        f"run = guarded([sys.executable, '-c', {DAEMON!r} + 'print(1, flush=True); import time; time.sleep(600)'])\n"
        "process = run.start(stdout=subprocess.PIPE)\n"
        "process.stdout.readline()\n"
        "if os.fork() == 0: time.sleep(600)\n"  # who holds a copy of the guard's socket, and lives on
        "print(process.pid, flush=True)\n"
        "time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", holder], stdout=subprocess.PIPE, start_new_session=True) as process:
        pids = tree(int(process.stdout.readline()))
        assert len(pids) == 3
        os.kill(process.pid, number)
        wait_until_gone(pids)
        os.killpg(process.pid, signal.SIGKILL)
