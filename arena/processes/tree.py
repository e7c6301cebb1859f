"""A process and all its descendants: what they use, and how to kill them; on Linux, by /proc.

Needs nothing but Python's own library: the guard of a program imports it before anything else is there.
"""

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
PAGE = os.sysconf("SC_PAGE_SIZE")
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
ROUNDS = 50
"""Number of walks through a tree that keeps growing while it is stopped."""


def end_with_parent(parent: int) -> None:
    """Have this process killed when its parent ends in any way; end it now if that has happened.

    Call it in the main thread of a process that the thread `parent` started: the kernel watches the thread that made
    the process.
    """
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before it was watched
        os._exit(1)


def adopt_orphans() -> None:
    """Become the parent of descendants that lose their parents."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def tree(pid: int) -> list[int]:
    """Return the process and all its current descendants."""
    pids = [pid]
    for each in pids:
        for task in _listed(Path("/proc", str(each), "task")):
            pids += [int(child) for child in _read(task / "children").split()]
    return pids


def used_memory(pids: Iterable[int], limit: int) -> int:
    """Return the memory of the processes in bytes; shared pages count once if the sum exceeds the limit."""
    pids = list(pids)
    resident = sum(_resident(pid) for pid in pids)
    if resident <= limit or len(pids) == 1:  # the exact figure takes a walk through the page tables
        return resident
    return sum(_proportional(pid) for pid in pids)


def used_time(pids: Iterable[int]) -> float:
    """Return the seconds of processor that the processes have had, with their children that have ended."""
    return sum(sum(map(int, _after_name(pid)[11:15])) for pid in pids) / TICKS_PER_S


def kill_tree(pid: int) -> None:
    """Kill a process, its group, and all its descendants."""
    stopped = _stopped(lambda: tree(pid))
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    for each in stopped:
        _send(each, signal.SIGKILL)


def kill_below(pid: int) -> None:
    """Kill all descendants of a process, but not the process itself."""
    for each in _stopped(lambda: tree(pid)[1:]):
        _send(each, signal.SIGKILL)


def _stopped(listed: Callable[[], list[int]]) -> set[int]:
    """Stop all processes of a list that may grow, so that none starts another before it is killed; return them."""
    stopped: set[int] = set()
    for _ in range(ROUNDS):
        new = set(listed()) - stopped
        if not new:
            break
        for each in new:
            _send(each, signal.SIGSTOP)
        stopped |= new
    return stopped


def _resident(pid: int) -> int:
    figures = _read(Path("/proc", str(pid), "statm")).split()
    return int(figures[1]) * PAGE if figures else 0


def _proportional(pid: int) -> int:
    lines = _read(Path("/proc", str(pid), "smaps_rollup")).splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def _after_name(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat (proc_pid_stat(5)) from the third on: the second, a name, may hold spaces."""
    return _read(Path("/proc", str(pid), "stat")).rpartition(")")[2].split()


def _send(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:  # it has ended
        return []


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:  # it has ended
        return ""
