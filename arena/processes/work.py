"""Interfaces of jobs and of the workers that run them."""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable
from typing import Any, Generic, Protocol, TypeVar

from arena.base.errors import UsageError

Job = TypeVar("Job")
Result = TypeVar("Result")
Job_contra = TypeVar("Job_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)


class JobRunner(Protocol[Job_contra, Result_co]):
    """Runs jobs, one after the other, in the process of a worker or in this one."""

    def do(self, job: Job_contra, common: Any) -> Result_co:
        """Return the result of a job, which depends on no other job or process; see `Workers.do`."""

    def close(self) -> None:
        """Release all resources."""


class WorkerSetup(Protocol[Job_contra, Result_co]):
    """Data that a worker needs before its first job; it travels by pickle, as jobs and results do."""

    def runner(self) -> JobRunner[Job_contra, Result_co]:
        """Return the object that runs the jobs; called in the process of the worker."""

    def lost(self, job: Job_contra, tries: int, how: str) -> UsageError:
        """Return the error for a job that no worker survives; `how` describes the end of the last one."""


class Workers(ABC, Generic[Job, Result]):
    """Workers that run jobs; abstract."""

    deaths: int = 0
    """Number of workers known to have died; their jobs were repeated."""

    @abstractmethod
    def do(self, jobs: Iterable[Job], common: Any = None) -> Generator[tuple[Job, Result]]:
        """Yield each job with its result in order of completion; closing the generator cancels running jobs.

        Workers in other processes begin at once; further jobs are requested when a worker is idle. `common` is data for
        all jobs, sent to each worker once.
        """

    @abstractmethod
    def close(self) -> None:
        """End the workers."""


class InProcessWorkers(Workers[Job, Result]):
    """Runs all jobs in this process, one after the other."""

    def __init__(self, doer: JobRunner[Job, Result]):
        self._doer = doer

    def do(self, jobs: Iterable[Job], common: Any = None) -> Generator[tuple[Job, Result]]:
        """Yield each job with its result, in order."""
        for job in jobs:
            yield job, self._doer.do(job, common)

    def close(self) -> None:
        """Do nothing: the owner of the job runner closes it."""


def started(results: Generator[Any]) -> Generator[Any]:
    """Advance a generator of results to its first `yield`, which has no value, so that workers begin.

    Closing the generator then has an effect even before the first result is requested.
    """
    next(results)
    return results
