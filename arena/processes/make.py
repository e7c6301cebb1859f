"""Construction of workers from the text of an option."""

import os

from arena.base.errors import UsageError
from arena.processes.local import LocalWorkers
from arena.processes.ray import RayWorkers
from arena.processes.work import InProcessWorkers, Job, JobRunner, Result, Workers, WorkerSetup

MOST_PER_CORE = 16
"""Largest number of local processes per core; more would only fill the memory."""


def make_workers(
    workers: int | str, work: WorkerSetup[Job, Result], here: JobRunner[Job, Result]
) -> Workers[Job, Result]:
    """Return workers by name: a number of local processes (1: this one, `here`), ray, or ray://HOST:PORT.

    Raises `UsageError` if they are not available.
    """
    text = str(workers)
    if not text.lstrip("-").isdecimal():
        return RayWorkers(work, text)
    if int(text) < 1:
        raise UsageError(f"workers={text} is not at least 1")
    cores = os.cpu_count() or 1
    if int(text) > MOST_PER_CORE * cores:
        raise UsageError(f"workers={text} are more than {MOST_PER_CORE} for each of the {cores} cores of this machine")
    if int(text) == 1:
        return InProcessWorkers(here)
    return LocalWorkers(work, int(text))
