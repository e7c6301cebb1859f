"""A child process from its own side: it answers the messages of its pipe, and ends with its parent.

It ends when the pipe closes. Should it be busy, or the pipe be held open by others, it notices within a second that its
parent is gone. Whatever it has started and left behind ends with it.
"""

import contextlib
import os
import select
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait

from arena.processes.tree import adopt_orphans, kill_below

PARENT_ENDS: "weakref.WeakSet[Connection]" = weakref.WeakSet()
"""The parent's ends of the pipes of all its children. A forked child closes its copies: a pipe that siblings hold open
would not tell anybody that the parent is gone."""
PARENT_S = 1.0
"""Seconds between looks at the parent, where nothing tells at once that it has ended."""
WATCH_S = 0.0002
"""Seconds that a wakeful process, or its parent, looks for a message before it sleeps."""


def channel() -> tuple[Connection, int]:
    """Return the pipe of a process that `child.launched` started, and the process id of its parent."""
    return Connection(int(sys.argv[1])), int(sys.argv[2])


@contextlib.contextmanager
def alive_with(parent: int) -> Iterator[None]:
    """Do the work of a child within this context: the process ends with its parent, and leaves nothing behind."""
    for pipe in list(PARENT_ENDS):
        pipe.close()
    adopt_orphans()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    try:
        yield
    finally:
        kill_below(os.getpid())


def messages(pipe: Connection, wakeful: bool = False) -> Iterator[bytes]:
    """Yield the messages of a pipe until it closes.

    Waking a process takes longer than a step of a small environment. A `wakeful` process polls for the next message for
    a short time, yielding its core to other processes.
    """
    while True:
        if wakeful:
            watch(pipe)
        try:
            message = pipe.recv_bytes()
        except (EOFError, OSError):  # the parent has closed the pipe, or is gone
            return
        yield message


def send(pipe: Connection, message: bytes) -> None:
    """Send a message. If nobody wants it any more, `messages` ends next."""
    with contextlib.suppress(OSError):
        pipe.send_bytes(message)


def watch(pipe: Connection) -> None:
    """Return when there is a message, or after `WATCH_S` seconds."""
    poll, until = select.poll(), time.perf_counter() + WATCH_S
    poll.register(pipe.fileno(), select.POLLIN)
    while not poll.poll(0) and time.perf_counter() < until:
        os.sched_yield()


def _end_with(parent: int) -> None:
    """End this process when its parent has ended, even in the middle of a job.

    A thread watches, not the kernel (`tree.end_with_parent`): that would end this process already with the thread of
    the parent that started it.
    """
    process = parent_process()  # known where multiprocessing started this one; with a fork server it is not `getppid`
    sentinels = [] if process is None else [process.sentinel]
    while os.getppid() == parent and not wait(sentinels, timeout=PARENT_S):
        pass
    kill_below(os.getpid())
    os._exit(1)
