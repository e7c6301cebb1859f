"""`SubprocEnvWorker`: an environment in a child process, alone or with others."""

import os
import weakref
from collections.abc import Callable, Sequence
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any, Self

from arena.env.workers.child import host_environments
from arena.env.workers.link import Link
from arena.env.workers.remote import RemoteEnvWorker
from arena.env.workers.shared import ObservationReader
from arena.processes.child import Child, forked, ready
from arena.processes.inside import watch
from arena.processes.messages import Portable


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
        self._context = context
        self._child: Child | None = None
        self._readers: list[ObservationReader] = []

    def _start(self, env_fns: Sequence[Callable[[], Any]]) -> None:
        if self._share_memory:
            resource_tracker.ensure_running()  # before the fork, so that the child has no tracker of its own
            self._readers = [ObservationReader() for _ in env_fns]
        portable = [Portable(env_fn) for env_fn in env_fns]
        self._child = forked(host_environments, (portable, self._share_memory, self._wakeful), self._context)
        self._pipe: Connection = self._child.pipe
        self._release = weakref.finalize(self, _close, self._readers)

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
        return ready({link._pipe: link for link in links}, seconds)

    @property
    def host(self) -> str:
        """Name of the process."""
        assert self._child is not None
        return f"its process {self._child.pid}"

    def _fate(self) -> str:
        assert self._child is not None
        return f"{self.host} {self._child.fate()}"

    def _arrived(self, slot: int, answer: Any) -> Any:
        return self._readers[slot].fetch(answer) if self._readers else answer

    def begin_close(self) -> None:
        """Close the pipe; the child closes its environments and ends."""
        if self._child is not None:
            self._pipe.close()

    def _stop(self, patience_s: float) -> None:
        if self._child is not None:
            self._child.end(patience_s)
            self._release()


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


def _close(readers: Sequence[ObservationReader]) -> None:
    for reader in readers:
        reader.close()
