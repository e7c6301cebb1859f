"""The process behind a `ProcessLink`: it hosts environments and answers requests from its pipe.

It ends when the pipe closes. Should it be busy, or the pipe be held open by others, it notices within a second that its
parent is gone.
"""

import os
import select
import signal
import threading
import time
import weakref
from collections.abc import Iterable, Sequence
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from typing import Any

from arena.env.workers.host import EnvHost
from arena.env.workers.messages import Portable, Raised, Request, pack_answers, unpack_requests
from arena.env.workers.shared import ObservationWriter

PARENT_ENDS: "weakref.WeakSet[Connection]" = weakref.WeakSet()
"""The parent's ends of the pipes of all process workers. A forked child closes its copies: a pipe that siblings hold
open would not tell anybody that the parent is gone."""

SHOWING = ("step", "reset")
"""Names of requests whose answers begin with an observation."""


WATCH_S = 0.0002  # how long a wakeful process, or its parent, looks for a message before it sleeps


def serve(pipe: Connection, env_fns: Sequence[Portable], share_memory: bool, wakeful: bool) -> None:
    """Make the environments and answer messages until the pipe closes.

    Waking a process takes longer than a step of a small environment. A `wakeful` process polls for the next message for
    a short time, yielding its core to other processes.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides what it means
    _close(PARENT_ENDS)
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    host = EnvHost([env_fn.function for env_fn in env_fns])
    writers = [ObservationWriter() for _ in env_fns] if share_memory else []
    try:
        pipe.send_bytes(pack_answers((), host.make()))
        while True:
            if wakeful:
                watch(pipe)
            requests = unpack_requests(pipe.recv_bytes())
            answers = host.fulfil(requests)
            pipe.send_bytes(pack_answers(requests, _shared(requests, answers, writers) if writers else answers))
    except (EOFError, OSError):
        pass  # the parent has closed the pipe, or is gone
    finally:
        host.close()
        for writer in writers:
            writer.close()


def watch(pipe: Connection) -> None:
    """Return when there is a message, or after `WATCH_S` seconds."""
    poll, until = select.poll(), time.perf_counter() + WATCH_S
    poll.register(pipe.fileno(), select.POLLIN)
    while not poll.poll(0) and time.perf_counter() < until:
        os.sched_yield()


def _shared(requests: Sequence[Request], answers: list[Any], writers: Sequence[ObservationWriter]) -> list[Any]:
    """Return the answers, with observations moved to shared memory."""
    for i, (slot, name, _) in enumerate(requests):
        if name in SHOWING and not isinstance(answers[i], Raised):
            obs, *rest = answers[i]
            answers[i] = (writers[slot].put(obs), *rest)
    return answers


def _close(pipes: Iterable[Connection]) -> None:
    for pipe in list(pipes):
        pipe.close()


def _end_with_parent(parent: int) -> None:
    """End this process when its parent has ended, even while an environment is busy."""
    process = parent_process()
    assert process is not None
    while os.getppid() == parent and not wait([process.sentinel], timeout=1.0):
        pass
    os._exit(1)
