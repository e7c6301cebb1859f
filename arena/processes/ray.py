"""Workers on a Ray cluster; a job whose node or process has died is repeated."""

import contextlib
from collections.abc import Generator, Iterable, Iterator
from typing import Any

from arena.base.errors import UsageError
from arena.processes.cluster import connected, first_line
from arena.processes.work import Job, JobRunner, Result, Workers, WorkerSetup, started

TRIES = 3
"""Number of attempts at a job whose worker dies."""
AHEAD = 2
"""Jobs under way for each core of the cluster, so that none waits for work."""


class RayWorkers(Workers[Job, Result]):
    """Runs jobs on all cores of the cluster at `address`: `ray://HOST:PORT`, or `ray`.

    `ray` is the cluster at RAY_ADDRESS or else a new one on this machine. Raises `UsageError` if it cannot be reached.
    """

    def __init__(self, work: WorkerSetup[Job, Result], address: str = "ray"):
        self._ray = connected(address)
        self._work = work
        self._shared: Any = None  # the work, where the cluster keeps it
        self._do = self._ray.remote(num_cpus=1, max_retries=0, scheduling_strategy="SPREAD")(do_job)

    @property
    def cores(self) -> int:
        """Number of cores of the cluster, which may change."""
        return int(self._ray.cluster_resources().get("CPU", 1))

    def keep(self, value: Any) -> "Kept":
        """Store a value in the memory of the cluster as long as there are references to it."""
        return Kept(self._ray.put(value))

    def do(self, jobs: Iterable[Job], common: Any = None) -> Generator[tuple[Job, Result]]:
        """Yield each job with its result in order of completion; jobs are requested when there are cores for them."""
        return started(self._results(jobs, common))

    def _results(self, jobs: Iterable[Job], common: Any) -> Generator[Any]:
        fresh, busy = iter(jobs), dict[Any, tuple[Job, int]]()  # with the number of attempts at each
        try:
            with _connection():
                if self._shared is None:
                    self._shared = self._ray.put(self._work)
                kept = self._ray.put(common)
                self._set_to_work(fresh, busy, kept)
            yield None
            while busy:
                with _connection():
                    done = []
                    for one in self._ray.wait(list(busy), num_returns=1)[0]:
                        job, tries = busy.pop(one)
                        try:
                            done.append((job, self._result(one)))
                        except self._ray.exceptions.RayError as error:
                            self.deaths += 1
                            if tries == TRIES:
                                raise self._work.lost(job, tries, f"died ({type(error).__name__})") from None
                            busy[self._do.remote(self._shared, job, kept)] = job, tries + 1
                    self._set_to_work(fresh, busy, kept)  # first, so that no worker waits for the caller
                yield from done
        finally:
            with contextlib.suppress(Exception):  # a cluster that has gone away cancels nothing
                for one in busy:  # the caller has stopped, and nobody wants their results
                    self._ray.cancel(one, force=True)

    def close(self) -> None:
        """Release the objects stored for the workers; the cluster stays connected."""
        self._shared = None

    def _set_to_work(self, fresh: Iterator[Job], busy: dict[Any, tuple[Job, int]], common: Any) -> None:
        cores = self.cores
        while len(busy) < AHEAD * cores and (job := next(fresh, None)) is not None:
            busy[self._do.remote(self._shared, job, common)] = job, 1

    def _result(self, one: Any) -> Result:
        """Return the result of a job, or its exception; Ray's own exception if its worker is gone."""
        try:
            result: Result = self._ray.get(one)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause if isinstance(error.cause, UsageError) else RuntimeError(str(error)) from None
        return result


@contextlib.contextmanager
def _connection() -> Iterator[None]:
    """Raise `UsageError` if the connection breaks within the context."""
    try:
        yield
    except Exception as error:
        if isinstance(error, ConnectionError) or type(error).__module__.startswith("grpc"):
            raise UsageError(f"the Ray cluster has gone away: {first_line(error)}") from None
        raise


class Kept:
    """Reference to a value in the memory of a cluster, which can be sent with jobs."""

    def __init__(self, reference: Any):
        self._reference = reference

    def get(self) -> Any:
        """Return the value."""
        import ray

        return ray.get(self._reference)


class _OfProcess:
    """State of a process of the cluster between jobs."""

    work: Any = None
    doer: JobRunner[Any, Any]


def do_job(work: WorkerSetup[Job, Result], job: Job, common: Any) -> Result:
    """Run one job in a worker's process."""
    if _OfProcess.work is None or _OfProcess.work != work:
        if _OfProcess.work is not None:
            _OfProcess.doer.close()
        _OfProcess.work, _OfProcess.doer = work, work.runner()
    result: Result = _OfProcess.doer.do(job, common)
    return result
