"""`SubprocEnvWorker`: an environment in a child process, alone or with others."""

import multiprocessing
import os
import signal
import weakref
from collections.abc import Callable, Sequence
from multiprocessing import connection, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Self

from arena.base.errors import UsageError
from arena.env.workers.child import PARENT_ENDS, serve, watch
from arena.env.workers.link import Link
from arena.env.workers.messages import Portable
from arena.env.workers.remote import CLOSING_S, RemoteEnvWorker
from arena.env.workers.shared import ObservationReader


class ProcessLink(Link):
    """The pipe to a child process that hosts environments.

    Args:
        share_memory: observations made of numbers come through shared memory instead of the pipe.
        context: how the process is started: "fork", "spawn", "forkserver", or None for the platform's usual way.
        hang_timeout_s: seconds an environment has to answer; None for ever.
        wakeful: the process has a core to itself, and watches for messages, as does this one for its answers.

    """

    def __init__(
        self,
        share_memory: bool = False,
        context: str | None = None,
        hang_timeout_s: float | None = None,
        wakeful: bool = False,
    ):
        super().__init__(hang_timeout_s)
        self._wakeful = wakeful and hasattr(os, "sched_yield")
        self._share_memory = share_memory
        self._context = _context(context)
        self._memory: dict[int, ObservationReader] = {}
        self._process: BaseProcess | None = None
        self._pid: int | None = None

    def _start(self, env_fns: Sequence[Callable[[], Any]]) -> None:
        if self._share_memory:
            resource_tracker.ensure_running()  # before the fork, so that the child has no tracker of its own
        self._memory = {slot: ObservationReader() for slot in range(len(env_fns))} if self._share_memory else {}
        self._pipe, theirs = self._context.Pipe()
        PARENT_ENDS.add(self._pipe)
        arguments = (theirs, [Portable(env_fn) for env_fn in env_fns], self._share_memory, self._wakeful)
        process = self._context.Process(target=serve, args=arguments, daemon=True)
        try:
            process.start()
        except BaseException:
            self._pipe.close()
            raise
        finally:
            theirs.close()
        self._process, self._pid = process, process.pid
        self._owner = os.getpid()
        self._finalizer = weakref.finalize(self, _end, process, self._pipe, self._memory, self._owner, CLOSING_S)

    def _send(self, message: bytes) -> None:
        self._pipe.send_bytes(message)

    def _receive(self, seconds: float | None) -> bytes | None:
        if seconds is not None and not self._pipe.poll(seconds):
            return None
        if self._wakeful:
            watch(self._pipe)
        return self._pipe.recv_bytes()

    @classmethod
    def select(cls, links: Sequence[Self], seconds: float | None) -> list[Self]:
        """Return the links whose pipes have something to read."""
        pipes = {link._pipe: link for link in links}
        ready = connection.wait(list(pipes), seconds)
        return [pipes[pipe] for pipe in ready if isinstance(pipe, Connection)]

    @property
    def host(self) -> str:
        """Name of the process."""
        return f"its process {self._pid}"

    def _fate(self) -> str:
        assert self._process is not None
        self._process.join(1.0)
        code = self._process.exitcode
        if code is None:
            return f"{self.host} has closed its pipe"
        return f"{self.host} " + (
            f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"
        )

    def _arrived(self, slot: int, answer: Any) -> Any:
        return self._memory[slot].fetch(answer) if self._memory else answer

    def begin_close(self) -> None:
        """Close the pipe; the child closes its environments and ends."""
        if self._process is not None:
            self._pipe.close()

    def _stop(self, patience_s: float) -> None:
        if self._process is None or not self._finalizer.alive:
            return
        self._finalizer.detach()
        _end(self._process, self._pipe, self._memory, self._owner, patience_s)


class SubprocEnvWorker(RemoteEnvWorker):
    """Runs an environment in a child process.

    Args:
        env_fn: makes the environment, in the child. Lambdas and closures will do, however the process is started.
        share_memory: observations made of numbers come through shared memory instead of the pipe.
        link: the process that hosts it beside others, not yet started; None for one of its own.

    """

    def __init__(self, env_fn: Callable[[], Any], share_memory: bool = False, link: ProcessLink | None = None):
        super().__init__(env_fn, ProcessLink(share_memory) if link is None else link)
        if link is None:
            self.flush()


def _context(name: str | None) -> Any:
    if name is not None and name not in multiprocessing.get_all_start_methods():
        known = ", ".join(multiprocessing.get_all_start_methods())
        raise UsageError(f"context {name!r} is no way to start a process here; known: {known}")
    return multiprocessing.get_context(name)


def _end(
    process: BaseProcess, pipe: Connection, memory: dict[int, ObservationReader], owner: int, patience_s: float
) -> None:
    """End a child and release its resources; it has `patience_s` seconds to close its environments."""
    if os.getpid() != owner:
        return  # in a forked child that inherited the worker: the process is a sibling's
    pipe.close()
    process.join(patience_s)
    if process.is_alive():
        process.kill()
        process.join()
    for reader in memory.values():
        reader.close()
    process.close()
