"""`EnvHost`: several environments in one process, controlled by messages."""

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from arena.env.workers.base import EnvWorker
from arena.env.workers.dummy import DummyEnvWorker
from arena.env.workers.messages import Request
from arena.processes.messages import Raised, attempt

HALVES = {name: (f"send_{name}", f"get_{name}") for name in ("reset", "check", "call")}
HALVES["step"] = ("send_action", "get_result")


class EnvHost:
    """Holds the environments of `env_fns` and answers the requests of whole messages.

    Args:
        env_fns: make the environments.
        worker_fn: makes the worker that holds one; those that are elsewhere work side by side.

    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Any]],
        worker_fn: Callable[[Callable[[], Any]], EnvWorker] = DummyEnvWorker,
    ):
        self._env_fns, self._worker_fn = env_fns, worker_fn
        self._workers: list[Any] = []

    def make(self) -> list[Any]:
        """Make the environments; return for each whether it checks actions before a step."""
        self._workers = [attempt(self._worker_fn, env_fn) for env_fn in self._env_fns]
        self._flush(range(len(self._workers)))
        return [worker if isinstance(worker, Raised) else attempt(_started, worker) for worker in self._workers]

    def fulfil(self, requests: Sequence[Request]) -> list[Any]:
        """Return the answers to requests: results, or `Raised`."""
        pending = [attempt(self._begin, *request) for request in requests]
        self._flush({slot for slot, _, _ in requests})
        return [
            started if isinstance(started, Raised) else attempt(self._finish, slot, name, started)
            for (slot, name, _), started in zip(requests, pending, strict=True)
        ]

    def _begin(self, slot: int, name: str, arguments: Sequence[Any]) -> Any:
        worker = self._workers[slot]
        if isinstance(worker, Raised):
            raise RuntimeError("the environment could not be made")
        return getattr(worker, HALVES[name][0] if name in HALVES else name)(*arguments)

    def _finish(self, slot: int, name: str, started: Any) -> Any:
        return getattr(self._workers[slot], HALVES[name][1])() if name in HALVES else started

    def _flush(self, slots: Iterable[int]) -> None:
        for slot in slots:
            if not isinstance(self._workers[slot], Raised):
                self._workers[slot].flush()

    def close(self) -> None:
        """Close the environments; print their errors on standard error."""
        for worker in self._workers:
            if not isinstance(worker, Raised) and isinstance(trouble := attempt(worker.close), Raised):
                print(trouble.text, file=sys.stderr)


def _started(worker: EnvWorker) -> bool:
    worker.await_start()
    return worker.checks_actions
