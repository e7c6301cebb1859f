"""Jobs on a Ray cluster whose workers die.

A job of a folder is done by counting in it who has tried; the first so many that try die of it.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.base.errors import UsageError
from arena.processes.ray import TRIES, RayWorkers
from arena.processes.work import WorkerSetup
from tests.on_ray import TwoNodes


class Deadly(NamedTuple):
    """A job that kills the first `deaths` who try it."""

    name: str
    deaths: int


@dataclass(frozen=True)
class Counting(WorkerSetup[Deadly, int]):
    """Tells at which try a job was done."""

    folder: Path

    def runner(self) -> "Counting":
        return self

    def do(self, job: Deadly, common: int) -> int:
        file = self.folder / job.name
        with file.open("a") as tries:
            tries.write("x")
        if file.stat().st_size <= job.deaths:
            os._exit(1)
        return file.stat().st_size + common

    def close(self) -> None:
        pass

    def lost(self, job: Deadly, tries: int, how: str) -> UsageError:
        return UsageError(f"{job.name} after {tries}: {how}")


def check(nodes: TwoNodes) -> None:
    jobs = [Deadly("easy", 0), Deadly("hard", 2), Deadly("harder", 1), Deadly("easier", 0)]
    workers = RayWorkers(Counting(Path.cwd()))
    done = {job.name: tries for job, tries in workers.do(jobs, common=10)}
    assert done == {"easy": 11, "hard": 13, "harder": 12, "easier": 11}, done
    assert workers.deaths == 3, workers.deaths
    with pytest.raises(UsageError, match=rf"hopeless after {TRIES}: died \("):
        list(workers.do([Deadly("hopeless", 99)]))
    assert len(Path("hopeless").read_text()) == TRIES
    workers.close()
