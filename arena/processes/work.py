"""Jobs of one kind, and the workers that do them."""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable
from typing import Any, Generic, Protocol, TypeVar

from arena.base.errors import UsageError

Job = TypeVar("Job")
Result = TypeVar("Result")
Job_contra = TypeVar("Job_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)


class JobRunner(Protocol[Job_contra, Result_co]):
    """Does jobs, one after the other, in the process of a worker or in this one."""

    def do(self, job: Job_contra, common: Any) -> Result_co:
        """The result of a job, which no other job and no other process has a part in; see `Workers.do`."""

    def close(self) -> None:
        """Let go of everything."""


class WorkerSetup(Protocol[Job_contra, Result_co]):
    """Data that a worker needs before its first job; it travels by pickle, as jobs and results do."""

    def runner(self) -> JobRunner[Job_contra, Result_co]:
        """Return the object that does the jobs, made where they are done."""

    def lost(self, job: Job_contra, tries: int, how: str) -> UsageError:
        """Return the error for a job that no worker survives; `how` tells the end of the last one."""


class Workers(ABC, Generic[Job, Result]):
    """Workers that do jobs."""

    deaths: int = 0
    """Number of workers known to have died; their jobs were done again."""

    @abstractmethod
    def do(self, jobs: Iterable[Job], common: Any = None) -> Generator[tuple[Job, Result]]:
        """Yield each job with its result, as they are done; closing the generator ends the jobs under way.

        Workers elsewhere begin at once; further jobs are asked for when somebody has time for them. `common` is what
        all of them need besides; it is sent to each worker once.
        """

    @abstractmethod
    def close(self) -> None:
        """End them."""


class InProcessWorkers(Workers[Job, Result]):
    """Does all jobs in this process, one after the other."""

    def __init__(self, doer: JobRunner[Job, Result]):
        self._doer = doer

    def do(self, jobs: Iterable[Job], common: Any = None) -> Generator[tuple[Job, Result]]:
        """Each job with its result, as it comes."""
        for job in jobs:
            yield job, self._doer.do(job, common)

    def close(self) -> None:
        """Nothing to end: whoever made the doer closes it."""


def started(results: Generator[Any]) -> Generator[Any]:
    """A generator of results that has set its workers to work: it has gone to its first `yield`, which is of nothing.

    So it has started, and closing it has an effect, before anybody waits for a result.
    """
    next(results)
    return results
