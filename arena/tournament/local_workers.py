"""Jobs in processes of this machine: a job whose worker dies is played again by another."""

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from multiprocessing import connection
from typing import Any

from arena.match.process_tree import kill_tree
from arena.tournament.jobs import Played, Setup, lost
from arena.tournament.pairing import Job

TRIES = 3
"""How often a job is played whose worker dies."""
CLOSING_S = 5.0
"""How long a worker may take to close its agents."""


class LocalWorkers:
    """`count` processes that play jobs; they start with the first jobs."""

    def __init__(self, setup: Setup, count: int):
        self._setup, self._count = setup.portable(), count
        self._idle: list[_Worker] = []

    def play(self, jobs: Iterable[Job]) -> Generator[Played]:
        """Each job with its records, as they are done; the next jobs are asked for when a worker has time."""
        self._idle += [_Worker(self._setup) for _ in range(self._count - len(self._idle))]
        fresh, again = iter(jobs), deque[tuple[Job, int]]()
        busy: dict[_Worker, tuple[Job, int]] = {}
        try:
            while True:
                self._set_to_work(fresh, again, busy)
                if not busy:
                    return
                done = []
                for worker in _ready(busy):
                    job, tries = busy.pop(worker)
                    answer = worker.answer()
                    if isinstance(answer, str):
                        self._replace(worker)
                        if tries == TRIES:
                            raise lost(self._setup, job, tries, answer)
                        again.append((job, tries + 1))
                    else:
                        self._idle.append(worker)
                        done.append((job, answer))
                self._set_to_work(fresh, again, busy)  # before whoever takes the results goes about them
                yield from done
        finally:
            for worker in busy:  # nobody waits for what they are at
                worker.end()

    def close(self) -> None:
        """End all processes."""
        for worker in self._idle:
            worker.pipe.close()
        for worker in self._idle:
            worker.end(CLOSING_S)
        self._idle = []

    def _set_to_work(
        self, fresh: Iterator[Job], again: "deque[tuple[Job, int]]", busy: "dict[_Worker, tuple[Job, int]]"
    ) -> None:
        while self._idle:
            job, tries = again.popleft() if again else (next(fresh, None), 1)
            if job is None:
                return
            worker = self._idle.pop()
            worker.give(job)
            busy[worker] = job, tries

    def _replace(self, worker: "_Worker") -> None:
        worker.end()
        self._idle.append(_Worker(self._setup))


class _Worker:
    """A process that plays one job after the other; it imports nothing of the program that started it."""

    def __init__(self, setup: Setup):
        self.pipe, theirs = multiprocessing.Pipe()
        paths = [path or os.getcwd() for path in sys.path]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "arena.tournament.worker", str(theirs.fileno())],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
        )
        theirs.close()
        self._send(setup)

    def give(self, job: Job) -> None:
        """Have a job played."""
        self._send(job)

    def answer(self) -> Any:
        """The records of its job; how it ended, in words, if it did. Raises what it raised."""
        try:
            answer = self.pipe.recv()
        except (EOFError, OSError):
            code = self._process.wait()
            return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"
        if isinstance(answer, Exception):
            raise answer
        return answer

    def end(self, patience_s: float = 0.0) -> None:
        """End the process, and what it has started; so many seconds after its pipe was closed."""
        self.pipe.close()
        try:
            self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            kill_tree(self._process.pid)
            self._process.wait()

    def _send(self, message: Any) -> None:
        with contextlib.suppress(OSError):  # it is dead, which shows when its answer is read
            self.pipe.send(message)


def _ready(busy: "dict[_Worker, tuple[Job, int]]") -> "list[_Worker]":
    """Those who have something to say; waits for the first."""
    ready = connection.wait([worker.pipe for worker in busy])
    return [worker for worker in busy if worker.pipe in ready]
