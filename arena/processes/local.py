"""Workers in processes of this machine: a job whose worker dies is repeated by another."""

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from multiprocessing import connection
from multiprocessing.reduction import ForkingPickler
from typing import Any, Generic

from arena.processes.tree import kill_tree
from arena.processes.work import Job, Result, Workers, WorkerSetup, started

TRIES = 3
"""Number of attempts at a job whose worker dies."""
CLOSING_S = 5.0
"""Seconds for a worker to close."""


class LocalWorkers(Workers[Job, Result]):
    """At most `count` worker processes, each started when there is a job for it."""

    def __init__(self, work: WorkerSetup[Job, Result], count: int):
        self._work, self._count = work, count
        self._idle: list[_Worker] = []

    def do(self, jobs: Iterable[Job], common: Any = None) -> Generator[tuple[Job, Result]]:
        """Yield each job with its result in order of completion; jobs are requested when a worker is idle."""
        return started(self._results(jobs, common))

    def _results(self, jobs: Iterable[Job], common: Any) -> Generator[Any]:
        round_ = _Round(iter(jobs), bytes(ForkingPickler.dumps((False, common))))
        try:
            self._set_to_work(round_)
            yield None
            while round_.busy:
                done = []
                for worker in round_.ready():
                    job, tries = round_.busy.pop(worker)
                    answer = worker.answer()
                    if isinstance(answer, _Death):
                        worker.end()
                        self.deaths += 1
                        if tries == TRIES:
                            raise self._work.lost(job, tries, answer.how)
                        round_.again.append((job, tries + 1))
                        continue
                    self._idle.append(worker)
                    if isinstance(answer, Exception):
                        raise answer
                    done.append((job, answer))
                self._set_to_work(round_)  # before whoever takes the results goes about them
                yield from done
        finally:
            for worker in round_.busy:  # nobody waits for what they are at
                worker.end()

    def close(self) -> None:
        """End all processes."""
        for worker in self._idle:
            worker.pipe.close()
        for worker in self._idle:
            worker.end(CLOSING_S)
        self._idle = []

    def _set_to_work(self, round_: "_Round[Job]") -> None:
        while len(round_.busy) < self._count:
            job, tries = round_.again.popleft() if round_.again else (next(round_.fresh, None), 1)
            if job is None:
                return
            worker = self._idle.pop() if self._idle else _Worker(self._work)
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
        ready = connection.wait([worker.pipe for worker in self.busy])
        return [worker for worker in self.busy if worker.pipe in ready]


class _Death:
    """Death of a worker, in place of its answer."""

    def __init__(self, code: int):
        self.how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"


class _Worker:
    """A process that runs one job after the other; it does not import the main program."""

    def __init__(self, work: Any):
        self.pipe, theirs = multiprocessing.Pipe()
        paths = [path or os.getcwd() for path in sys.path]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "arena.processes.inside", str(theirs.fileno()), str(os.getpid())],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            process_group=0,  # Ctrl-C is for the parent, which decides what it means
        )
        theirs.close()
        self._common: bytes | None = None
        self._send(bytes(ForkingPickler.dumps(work)))

    def give(self, job: Any, common: bytes) -> None:
        """Send a job, after the common data of its call if the worker lacks them."""
        if self._common is not common:
            self._common = common
            self._send(common)
        self._send(bytes(ForkingPickler.dumps((True, job))))

    def answer(self) -> Any:
        """Return the result of its job, the exception that it raised, or the worker's `_Death`."""
        try:
            return self.pipe.recv()
        except (EOFError, OSError):
            return _Death(self._process.wait())

    def end(self, patience_s: float = 0.0) -> None:
        """End the process and its descendants, this many seconds after its pipe was closed."""
        self.pipe.close()
        try:
            self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            kill_tree(self._process.pid)
            self._process.wait()

    def _send(self, message: bytes) -> None:
        with contextlib.suppress(OSError):  # it is dead, which shows when its answer is read
            self.pipe.send_bytes(message)
