"""A process and all that it started: what they use, and their end. On Linux, which tells it in /proc.

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
ROUNDS = 50
"""Number of walks through a tree that keeps growing while it is stopped."""


def end_with_parent(parent: int) -> None:
    """Have this process killed when its parent ends, however that comes about; end it now if that has happened.

    To be called in the main thread of a process which the thread `parent` started, as the kernel counts: it watches the
    thread that made this process.
    """
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before it was watched
        os._exit(1)


def adopt_orphans() -> None:
    """Have processes that lose their parents stay below this one."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def tree(pid: int) -> list[int]:
    """The process and all below it that are there now."""
    pids = [pid]
    for each in pids:
        for task in _listed(Path("/proc", str(each), "task")):
            pids += [int(child) for child in _read(task / "children").split()]
    return pids


def used_memory(pids: Iterable[int], limit: int) -> int:
    """Bytes that the processes hold in memory together; what they share counts once, if it could matter at all."""
    pids = list(pids)
    resident = sum(_resident(pid) for pid in pids)
    if resident <= limit or len(pids) == 1:  # the exact figure takes a walk through the page tables
        return resident
    return sum(_proportional(pid) for pid in pids)


def kill_tree(pid: int) -> None:
    """Kill a process, its group, and all below it."""
    stopped = _stopped(lambda: tree(pid))
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    for each in stopped:
        _send(each, signal.SIGKILL)


def kill_below(pid: int) -> None:
    """Kill all that a process has started, and leave the process itself."""
    for each in _stopped(lambda: tree(pid)[1:]):
        _send(each, signal.SIGKILL)


def _stopped(listed: Callable[[], list[int]]) -> set[int]:
    """All processes of a list that may grow; each has been stopped, so that it starts no other before it is killed."""
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
