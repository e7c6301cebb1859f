"""What workers do: jobs of one kind, by anyone who has been told of it."""

import os
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable
from typing import Any, Generic, Protocol, TypeVar

from arena.errors import UsageError

MOST_PER_CORE = 16
"""Processes of this machine; far more fill its memory, and none of them gets on."""

Job = TypeVar("Job")
Result = TypeVar("Result")
Job_contra = TypeVar("Job_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)


class Doer(Protocol[Job_contra, Result_co]):
    """Does jobs, one after the other, in the process of a worker or in this one."""

    def do(self, job: Job_contra, common: Any) -> Result_co:
        """The result of a job, which no other job and no other process has a part in; see `Workers.do`."""

    def close(self) -> None:
        """Let go of everything."""


class Work(Protocol[Job_contra, Result_co]):
    """What a worker has to know before its first job; it travels by pickle, as jobs and results do."""

    def doer(self) -> Doer[Job_contra, Result_co]:
        """Who does it, made where it is done."""

    def lost(self, job: Job_contra, tries: int, how: str) -> UsageError:
        """What is said of a job that no worker survives; `how` says what became of the last one."""


class Workers(ABC, Generic[Job, Result]):
    """Those who do jobs."""

    deaths: int = 0
    """How many have died so far, as far as is known; what they were at was done again."""

    @abstractmethod
    def do(self, jobs: Iterable[Job], common: Any = None) -> Generator[tuple[Job, Result]]:
        """Each job with its result, as they are done; closing it ends what is under way.

        Workers elsewhere begin at once; further jobs are asked for when somebody has time for them. `common` is what
        all of them need besides; it is sent to each worker once.
        """

    @abstractmethod
    def close(self) -> None:
        """End them."""


class Here(Workers[Job, Result]):
    """Does all jobs in this process, one after the other."""

    def __init__(self, doer: Doer[Job, Result]):
        self._doer = doer

    def do(self, jobs: Iterable[Job], common: Any = None) -> Generator[tuple[Job, Result]]:
        """Each job with its result, as it comes."""
        for job in jobs:
            yield job, self._doer.do(job, common)

    def close(self) -> None:
        """Nothing to end: whoever made the doer closes it."""


def begun(results: Generator[Any]) -> Generator[Any]:
    """A generator of results that has set its workers to work: it has gone to its first `yield`, which is of nothing.

    So it has begun, and closing it has an effect, before anybody waits for a result.
    """
    next(results)
    return results


def make_workers(workers: int | str, work: Work[Job, Result], here: Doer[Job, Result]) -> Workers[Job, Result]:
    """Those whom a word means: so many processes of this machine (1: this one, which is `here`), ray, ray://HOST:PORT.

    Raises `UsageError` if they are not to be had.
    """
    text = str(workers)
    if not text.lstrip("-").isdecimal():
        from arena.workers.ray import RayWorkers

        return RayWorkers(work, text)
    if int(text) < 1:
        raise UsageError(f"workers={text} is not at least 1")
    cores = os.cpu_count() or 1
    if int(text) > MOST_PER_CORE * cores:
        raise UsageError(f"workers={text} are more than {MOST_PER_CORE} for each of the {cores} cores of this machine")
    if int(text) == 1:
        return Here(here)
    from arena.workers.local import LocalWorkers

    return LocalWorkers(work, int(text))
