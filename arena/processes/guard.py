"""The guard process of a program, which kills it and all its descendants at a limit or the end of its parent.

`main` runs as `guard CONTROL MEMORY PROCESSES CORES COMMAND...`. `CONTROL` is one end of a pair of sockets; only its
parent has the other end. When that closes, or the parent ends in any way, everything below the guard is killed: on
Linux, also what was forked twice or has begun a session of its own, for the guard adopts it. The program ends with the
guard. `MEMORY` (bytes, of all of them together) and `PROCESSES` are bounds beyond which they are killed, 0 for none.
Where a control group can be made (`arena.processes.cgroups`), the kernel holds them to that memory at once, to so many
threads a process, and to the time of so many `CORES`, 0 for all; elsewhere memory is measured now and then.

Through `CONTROL` it tells in one line what became of the program: `code N`, N below 0 after a signal, or `excess WHAT`.
It stays for what an ended program may have left behind, and ends with the program's status (128 + N after a signal).
Needs nothing but Python's own library.
"""

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Sequence

from arena.processes.cgroups import ControlGroup, GroupLimits
from arena.processes.tree import adopt_orphans, end_with_parent, kill_below, tree, used_memory

WATCH_S = 0.05
"""Seconds between measurements of the processes below."""
KILLING_S = 5.0
"""Seconds for killed processes to be gone; those that hang in the kernel are not waited for."""
THREADS = 16
"""Threads a process, on average, where a control group counts them."""
SPARE_BYTES = 64 * 2**20
"""Memory that the kernel allows beyond the bound, for what it counts besides: caches, tables, temporary files."""
TO_THE_KERNEL = 1000
"""Score for the kernel's out-of-memory killer, so that it kills the program first."""


def main() -> None:
    """Run the command below this process, and watch it until it is over."""
    control, memory, processes = map(int, sys.argv[1:4])
    cores, command = float(sys.argv[4]), sys.argv[5:]
    os.set_inheritable(control, False)
    group = ControlGroup(GroupLimits(memory + SPARE_BYTES if memory else 0, THREADS * processes, cores))
    parent = os.getppid()
    adopt_orphans()
    run_first()
    wake, woken = os.pipe()
    for end in (wake, woken):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(woken)
    program = started(command, group)
    close_streams()
    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(wake, select.POLLIN)
    status: int | None = None
    while not any(file == control for file, _ in poll.poll(WATCH_S * 1000)) and os.getppid() == parent:
        with contextlib.suppress(BlockingIOError):
            os.read(wake, 4096)
        code = reaped(program)
        if code is not None and not group.out_of_memory():
            tell(control, f"code {code}")
            status = code if code >= 0 else 128 - code
        below = tree(os.getpid())[1:]
        if excess := beyond(below, memory, processes, group):
            tell(control, f"excess {excess}")
            break
        if status is not None and not below:
            group.remove()
            sys.exit(status)
    kill_all(program)
    group.remove()


def run_first() -> None:
    """Be scheduled before all that it guards: a program that forks without end would else keep it from acting in time.

    What it starts is scheduled as usual. Where this takes rights that it lacks, it stays as it is.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))


def started(command: Sequence[str], group: ControlGroup) -> int:
    """Start the command in a control group, and in a session of its own: signals to that do not reach the guard."""
    guard = os.getpid()
    program = os.fork()
    if program:
        return program
    os.setsid()
    end_with_parent(guard)
    with contextlib.suppress(OSError):
        group.enter()
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)  # Python ignores the first two, and what is ignored stays so
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write(str(TO_THE_KERNEL))
    try:
        os.execvp(command[0], list(command))
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    os._exit(127)


def close_streams() -> None:
    """Close the guard's copies of the program's streams, so that their readers notice its end."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def reaped(program: int) -> int | None:
    """Reap all ended processes; return the exit status of the program if it is among them."""
    code = None
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == program:
                code = os.waitstatus_to_exitcode(ended[1])
    return code


def beyond(below: Sequence[int], memory: int, processes: int, group: ControlGroup) -> str:
    """Return the limit that the processes have exceeded, in words; empty if none."""
    if processes and len(below) > processes:
        return f"started more than {processes} processes"
    if memory and (group.out_of_memory() or used_memory(below, memory) > memory):
        return f"used more than {memory / 1e6:,.0f} MB of memory"
    return ""


def tell(control: int, line: str) -> None:
    """Write a line to the parent, if it is still there."""
    with contextlib.suppress(OSError):
        os.write(control, f"{line}\n".encode())


def kill_all(program: int) -> None:
    """Kill all descendants, including those that appear meanwhile."""
    deadline = time.monotonic() + KILLING_S
    while time.monotonic() < deadline:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(program, signal.SIGKILL)
        kill_below(os.getpid())
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            time.sleep(0.001)
            continue
        return  # no child is left


if __name__ == "__main__":
    main()
