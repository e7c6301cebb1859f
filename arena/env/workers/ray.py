"""`RayEnvWorker`: an environment in a Ray actor, alone or with others."""

import weakref
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Self

from arena.env.workers.base import EnvWorker
from arena.env.workers.dummy import DummyEnvWorker
from arena.env.workers.host import EnvHost
from arena.env.workers.link import Link
from arena.env.workers.messages import pack_answers, unpack_requests
from arena.env.workers.remote import RemoteEnvWorker
from arena.env.workers.subproc import ProcessLink, SubprocEnvWorker
from arena.processes.cluster import require_ray
from arena.processes.messages import Portable

WorkerFn = Callable[[Callable[[], Any]], EnvWorker]


class _Actor:
    """Ray actor with a host of environments and its messages."""

    def __init__(self, env_fns: Sequence[Portable], worker_fn: WorkerFn):
        self._host = EnvHost([env_fn.function for env_fn in env_fns], worker_fn)

    def make(self) -> bytes:
        """Make the environments."""
        return pack_answers((), self._host.make())

    def fulfil(self, message: bytes) -> bytes:
        """Answer the requests of a message."""
        requests = unpack_requests(message)
        return pack_answers(requests, self._host.fulfil(requests))

    def close(self) -> None:
        """Close the environments."""
        self._host.close()


@cache
def _actor_class() -> Any:
    return require_ray().remote(max_restarts=0)(_Actor)


class RayLink(Link):
    """The connection to a Ray actor that hosts environments.

    Args:
        in_processes: the actor gives each environment a process of its own, so that they step side by side.
        num_cpus: cores that Ray reserves for the actor.
        num_gpus: accelerators that Ray reserves for it.
        hang_timeout_s: seconds an environment has to answer; None for ever.

    """

    def __init__(
        self,
        in_processes: bool = False,
        num_cpus: float = 0,
        num_gpus: float = 0,
        hang_timeout_s: float | None = None,
    ):
        super().__init__(hang_timeout_s)
        self._ray = require_ray()
        self._worker_fn: WorkerFn = _in_process if in_processes else DummyEnvWorker
        # asked for nothing, Ray needs a core to place an actor, but keeps none for it
        self._resources = {"num_cpus": num_cpus or 0, "num_gpus": num_gpus} if num_cpus or num_gpus else {}
        self._reason = ""
        self._actor: Any = None
        self._answer: Any = None
        self._closing: Any = None

    def _start(self, env_fns: Sequence[Callable[[], Any]]) -> None:
        portable = [Portable(env_fn) for env_fn in env_fns]
        self._actor = (
            _actor_class().options(scheduling_strategy="SPREAD", **self._resources).remote(portable, self._worker_fn)
        )
        self._answer, self._closing = self._actor.make.remote(), None
        self._finalizer = weakref.finalize(self, _kill, self._actor)

    def _send(self, message: bytes) -> None:
        self._answer = self._actor.fulfil.remote(message)

    def _receive(self, seconds: float | None) -> bytes | None:
        try:
            return self._ray.get(self._answer, timeout=seconds)
        except self._ray.exceptions.GetTimeoutError:
            return None
        except self._ray.exceptions.RayError as error:
            self._reason = str(error).strip().splitlines()[-1].split(". ")[0]  # advice follows, by the page
            raise EOFError(self._reason) from error

    @classmethod
    def select(cls, links: Sequence[Self], seconds: float | None) -> list[Self]:
        """Return the links whose answers have arrived."""
        answers = {link._answer: link for link in links}
        ready, _ = links[0]._ray.wait(list(answers), num_returns=1, timeout=seconds)
        return [answers[answer] for answer in ready]

    @property
    def host(self) -> str:
        """Name of the actor."""
        return f"its Ray actor {self._actor._actor_id.hex()[:12]}"

    def _fate(self) -> str:
        return f"{self.host} died: {self._reason}"

    def begin_close(self) -> None:
        """Ask the actor to close its environments after its current task."""
        if self._is_there and self._closing is None and self._ray.is_initialized():
            self._closing = self._actor.close.remote()

    @property
    def _is_there(self) -> bool:
        return self._actor is not None and self._finalizer.alive

    def _stop(self, patience_s: float) -> None:
        if self._is_there:
            self._finalizer.detach()
            if self._closing is not None and self._ray.is_initialized():
                self._ray.wait([self._closing], timeout=patience_s)
            _kill(self._actor)


class RayEnvWorker(RemoteEnvWorker):
    """Runs an environment in a Ray actor.

    Args:
        env_fn: makes the environment, in the actor.
        link: the actor that hosts it beside others, not yet started; None for one of its own.

    """

    def __init__(self, env_fn: Callable[[], Any], link: RayLink | None = None):
        super().__init__(env_fn, RayLink() if link is None else link)
        if link is None:
            self.flush()


def _in_process(env_fn: Callable[[], Any]) -> EnvWorker:
    return SubprocEnvWorker(env_fn, link=ProcessLink(context="spawn"))  # an actor has threads, which a fork would break


def _kill(actor: Any) -> None:
    import ray

    if ray.is_initialized():
        ray.kill(actor)
