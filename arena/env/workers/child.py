"""The process behind a `SubprocEnvWorker`: it holds an environment and does what comes through its pipe.

It ends when the pipe closes. Should it be busy, or the pipe be held open by others, it notices within a second that its
parent is gone.
"""

import os
import signal
import threading
import weakref
from collections.abc import Iterable
from functools import partial
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from typing import Any

from arena.env.workers.base import ResetResult, StepResult
from arena.env.workers.dummy import DummyEnvWorker
from arena.env.workers.messages import Portable, answer, loads
from arena.env.workers.shared import ObservationWriter

PARENT_ENDS: "weakref.WeakSet[Connection]" = weakref.WeakSet()
"""The parent's ends of the pipes of all process workers. A forked child closes its copies: a pipe that siblings hold
open would not tell anybody that the parent is gone."""


def serve(pipe: Connection, env_fn: Portable, share_memory: bool) -> None:
    """Make the environment and answer requests until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides what it means
    _close(PARENT_ENDS)
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    host = _Host(env_fn, share_memory)
    try:
        pipe.send_bytes(answer(host.make))
        while True:
            request = pipe.recv_bytes()
            pipe.send_bytes(answer(partial(host.fulfil, request)))
    except (EOFError, OSError):
        pass  # the parent has closed the pipe, or is gone
    finally:
        host.close()


def _close(pipes: Iterable[Connection]) -> None:
    for pipe in list(pipes):
        pipe.close()


def _end_with_parent(parent: int) -> None:
    """End this process once its parent is gone, whatever the environment is doing."""
    process = parent_process()
    assert process is not None
    while os.getppid() == parent and not wait([process.sentinel], timeout=1.0):
        pass
    os._exit(1)


class _Host:
    """The environment, and what may be asked of it."""

    def __init__(self, env_fn: Portable, share_memory: bool):
        self._env_fn = env_fn
        self._worker: DummyEnvWorker | None = None
        self._shared = ObservationWriter() if share_memory else None

    def make(self) -> bool:
        """Make the environment; returns whether it checks actions before it steps."""
        self._worker = DummyEnvWorker(self._env_fn.function)
        return self._worker.checks_actions

    def fulfil(self, request: bytes) -> Any:
        """Do what is asked: the name of a method, and its arguments."""
        name, arguments = loads(request)
        if self._worker is None:
            raise RuntimeError("the environment could not be made")
        own: dict[str, Any] = {"step": self._step, "reset": self._reset, "check": self._check}
        return (own.get(name) or getattr(self._worker, name))(*arguments)

    def _step(self, action: Any) -> StepResult:
        assert self._worker is not None
        obs, *rest = self._worker.step(action)
        return (self._put(obs), *rest)

    def _reset(self, seed: int | None, options: dict[str, Any] | None) -> ResetResult:
        assert self._worker is not None
        obs, info = self._worker.reset(seed, options)
        return self._put(obs), info

    def _check(self, action: Any) -> None:
        assert self._worker is not None
        self._worker.send_check(action)
        self._worker.get_check()

    def _put(self, obs: Any) -> Any:
        return obs if self._shared is None else self._shared.put(obs)

    def close(self) -> None:
        """Close the environment and let go of shared memory."""
        try:
            if self._worker is not None:
                self._worker.close()
        finally:
            if self._shared is not None:
                self._shared.close()
