"""A program below a guard, from the view of its parent."""

import contextlib
import os
import select
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.processes.fate import Fate
from arena.processes.tree import kill_tree

ROOT = Path(__file__).parents[2]
"""The folder that holds the package of the guard."""
START = "import sys; sys.path.append({!r}); from arena.processes.guard import main; main()"
MOST_PROCESSES = 256
"""Processes that an agent may have at once, threads not counted."""
SHARE_OF_MEMORY = 0.5
"""Share of this machine's memory that an agent may use by default."""
CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Files that may hold a container's limit of memory."""
ENDING_S = 6.0
"""Seconds for a guard to kill the processes below it, a little longer than it gives itself."""


@dataclass(frozen=True)
class Bounds:
    """Limits for all processes of a program together, 0 for no limit; they are killed when they exceed one."""

    memory_bytes: int
    processes: int = MOST_PROCESSES
    cores: float = 0.0
    """Time of the processor per time, where a control group can be made; they are slowed down to it."""


@dataclass(frozen=True, eq=False)
class Guarded:
    """A command that is killed with all its descendants when this process ends, even by a signal."""

    argv: list[str]
    """Command to run in place of the given one, as the leader of a session, with `pass_fds=(inherited,)`."""
    inherited: int
    """File descriptor to be passed on, and closed here once the program runs."""
    lifeline: int
    """File descriptor whose closing kills the program."""

    def start(self, **options: Any) -> "subprocess.Popen[bytes]":
        """Run it; `options` are those of `subprocess.Popen`."""
        try:
            return subprocess.Popen(self.argv, pass_fds=(self.inherited,), start_new_session=True, **options)
        except BaseException:
            os.close(self.lifeline)
            raise
        finally:
            os.close(self.inherited)

    def fate(self, seconds: float) -> Fate | None:
        """Return how the program ended, waiting that many seconds for its end; None while it runs.

        To be called until it returns a `Fate`, not after.
        """
        line = b""
        with contextlib.suppress(OSError):
            if self.has_ended(seconds):
                line = os.read(self.lifeline, 4096)
        kind, _, rest = line.decode().splitlines()[0].partition(" ") if line else ("", "", "")
        return {"code": lambda: Fate(int(rest)), "excess": lambda: Fate(excess=rest)}.get(kind, lambda: None)()

    def has_ended(self, seconds: float = 0.0) -> bool:
        """Return whether the program has ended, or ends within some seconds; to be called before `fate` says how."""
        poll = select.poll()
        poll.register(self.lifeline, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def end(self, process: "subprocess.Popen[bytes]") -> None:
        """Kill the program, all its descendants, and its guard, which is `process`."""
        os.close(self.lifeline)
        try:
            process.wait(ENDING_S)
        except subprocess.TimeoutExpired:  # somebody has stopped it
            kill_tree(process.pid)
            process.wait()


def guarded(command: Sequence[str], bounds: Bounds | None = None) -> Guarded:
    """Return a command below a guard of its own, by default within `default_bounds`; the caller closes both files."""
    bounds = default_bounds() if bounds is None else bounds
    ours, theirs = socket.socketpair()
    inherited, lifeline = theirs.detach(), ours.detach()
    figures = map(str, (inherited, bounds.memory_bytes, bounds.processes, bounds.cores))
    return Guarded([sys.executable, "-I", "-S", "-c", START.format(str(ROOT)), *figures, *command], inherited, lifeline)


def default_bounds() -> Bounds:
    """Return the limits of an agent for which none are given."""
    return Bounds(int(SHARE_OF_MEMORY * machine_memory()))


def machine_memory() -> int:
    """Return the bytes of memory of this machine or container; 0 if unknown."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0
    for path in CGROUP_LIMITS:
        with contextlib.suppress(OSError, ValueError):
            memory = min(memory, int(Path(path).read_text()))
    return memory
