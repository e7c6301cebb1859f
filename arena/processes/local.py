"""Workers in processes of this machine: a job whose worker dies is repeated by another."""

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from typing import Any, Generic

from arena.base.errors import UsageError
from arena.processes.child import launched, ready
from arena.processes.fate import Fate
from arena.processes.inside import send
from arena.processes.messages import Raised, dumps, loads
from arena.processes.work import Job, Result, Workers, WorkerSetup, started

TRIES = 3
"""Number of attempts at a job whose worker dies."""


class LocalWorkers(Workers[Job, Result]):
    """At most `count` worker processes, each started when there is a job for it."""

    def __init__(self, work: WorkerSetup[Job, Result], count: int):
        self._work, self._count = work, count
        self._setup = dumps(work)
        self._idle: list[_Worker] = []

    def do(self, jobs: Iterable[Job], common: Any = None) -> Generator[tuple[Job, Result]]:
        """Yield each job with its result in order of completion; jobs are requested when a worker is idle."""
        return started(self._results(jobs, common))

    def _results(self, jobs: Iterable[Job], common: Any) -> Generator[Any]:
        round_ = _Round(iter(jobs), dumps((False, common)))
        try:
            self._set_to_work(round_)
            yield None
            while round_.busy:
                done = []
                for worker in round_.ready():
                    job, tries = round_.busy.pop(worker)
                    answer = worker.answer()
                    if isinstance(answer, Fate):
                        worker.child.end(0.0)
                        self.deaths += 1
                        if tries == TRIES:
                            raise self._work.lost(job, tries, str(answer))
                        round_.again.append((job, tries + 1))
                        continue
                    self._idle.append(worker)
                    if isinstance(answer, Raised):
                        raise _error(answer)
                    done.append((job, answer))
                self._set_to_work(round_)  # first, so that no worker waits for the caller
                yield from done
        finally:
            for worker in round_.busy:  # the caller has stopped, and nobody wants their results
                worker.child.end(0.0)

    def close(self) -> None:
        """End all processes."""
        for worker in self._idle:
            worker.child.pipe.close()
        for worker in self._idle:
            worker.child.end()
        self._idle = []

    def _set_to_work(self, round_: "_Round[Job]") -> None:
        while len(round_.busy) < self._count:
            job, tries = round_.again.popleft() if round_.again else (next(round_.fresh, None), 1)
            if job is None:
                return
            worker = self._idle.pop() if self._idle else _Worker(self._setup)
            worker.give(job, round_.common)
            round_.busy[worker] = job, tries


class _Round(Generic[Job]):
    """The jobs of one call: pending ones, those to be repeated, and the job and try number of each worker."""

    def __init__(self, fresh: Iterator[Job], common: bytes):
        self.fresh, self.common = fresh, common
        self.again: deque[tuple[Job, int]] = deque()
        self.busy: dict[_Worker, tuple[Job, int]] = {}

    def ready(self) -> "list[_Worker]":
        """Return the workers that have sent a message; wait for the first."""
        return ready({worker.child.pipe: worker for worker in self.busy})


class _Worker:
    """A process that runs one job after the other."""

    def __init__(self, setup: bytes):
        self.child = launched("arena.processes.job_worker")
        self._common: bytes | None = None
        send(self.child.pipe, setup)

    def give(self, job: Any, common: bytes) -> None:
        """Send a job, after the common data of its call if the worker lacks them."""
        if self._common is not common:
            self._common = common
            send(self.child.pipe, common)
        send(self.child.pipe, dumps((True, job)))

    def answer(self) -> Any:
        """Return the result of its job, `Raised`, or the `Fate` of a worker that is gone."""
        try:
            return loads(self.child.pipe.recv_bytes())
        except (EOFError, OSError):
            return self.child.fate()


def _error(answer: Raised) -> Exception:
    """Return the error of a job, to be raised here."""
    return answer.error if isinstance(answer.error, UsageError) else RuntimeError(f"a worker failed:\n{answer.text}")
