"""Several workers in one program: each takes a job at a time, whose games run elsewhere.

They run in processes of this machine, or on the cores of a Ray cluster. To the server they are workers of one account.
"""

import threading
from collections.abc import Sequence

from arena.processes.local import LocalWorkers
from arena.processes.make import make_workers
from arena.processes.ray import RayWorkers
from arena.server.client import Client
from arena.server.job_games import JobGames, JobGamesSetup, PlayableJob
from arena.server.worker import Tell, Worker

LONGEST_NAME = 28
"""Letters of a name that are kept before the number of a worker."""


class WorkerTeam:
    """Workers that take jobs side by side, until all are stopped or one fails."""

    def __init__(self, workers: Sequence[Worker]):
        self._workers = workers
        self._failure: BaseException | None = None
        self._done, self._lock = 0, threading.Lock()

    def stop(self) -> None:
        """End after the jobs that are being played."""
        for worker in self._workers:
            worker.stop()

    def run(self, most: int | None = None) -> int:
        """Play jobs until `stop`, or until `most` have been reported by all together; return their number.

        Raises what one of the workers raises, once the others have ended.
        """
        count = len(self._workers)
        shares = [None if most is None else most // count + (place < most % count) for place in range(count)]
        threads = [
            threading.Thread(target=self._run, args=(worker, share), name="worker", daemon=True)
            for worker, share in zip(self._workers, shares, strict=True)
            if share != 0
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._failure is not None:
            raise self._failure
        return self._done

    def _run(self, worker: Worker, most: int | None) -> None:
        try:
            number = worker.run(most)
            with self._lock:
                self._done += number
        except BaseException as error:
            self._failure = self._failure or error
            self.stop()


def make_team(client: Client, name: str, sandbox: bool, workers: str, tell: Tell) -> Worker | WorkerTeam:
    """Return a worker whose games run here, or a team of them: `workers` processes, or one for each core of a cluster.

    `workers` is a number, ray, or ray://HOST:PORT. Raises `UsageError` if they are not available.
    """
    setup = JobGamesSetup(sandbox)
    first = make_workers(workers, setup, JobGames(sandbox))
    if isinstance(first, RayWorkers):
        places = [first, *(RayWorkers(setup, workers) for _ in range(first.cores - 1))]
        return WorkerTeam(_numbered(client, name, sandbox, tell, places))
    if isinstance(first, LocalWorkers):
        return WorkerTeam(_numbered(client, name, sandbox, tell, [LocalWorkers(setup, 1) for _ in range(int(workers))]))
    return Worker(client, name, sandbox, tell)


def _numbered(
    client: Client,
    name: str,
    sandbox: bool,
    tell: Tell,
    places: Sequence[LocalWorkers[PlayableJob, list[str]] | RayWorkers[PlayableJob, list[str]]],
) -> list[Worker]:
    """Return workers with a number after their name, whose games run in these places."""
    return [
        Worker(client, f"{name[:LONGEST_NAME]}-{number}", sandbox, tell, place)
        for number, place in enumerate(places, start=1)
    ]
