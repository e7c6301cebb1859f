"""A worker: takes jobs of a server, plays them by the runner of tournaments, and reports, until it is stopped.

It trusts the server with nothing but the choice of games: a spec must be one that runs no program and reads no file, a
bundle is checked by its hash and by its rules, and programs run in a sandbox or not at all. While a job is played, a
thread renews its lease. A server that does not answer is asked again, after longer and longer pauses; a report is
repeated until it has been taken or refused, so that no game that was played is lost.
"""

import hashlib
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from arena.base.errors import UsageError
from arena.base.scratch import ScratchFolder
from arena.base.surroundings import surroundings
from arena.match.verdict import Reason
from arena.processes.work import InProcessWorkers, Workers
from arena.server.building import BuildError
from arena.server.client import Client, UnreachableError, game_of_server
from arena.server.job_games import JobGames, PlayableJob, limits_of
from arena.server.jobs import RENEWALS
from arena.server.live_bot import play_live
from arena.server.models import JobGiven
from arena.server.refusals import RefusedError
from arena.server.workers import VERSION

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
"""Pauses before a server is asked again."""
Tell = Callable[[str], None]


class Worker:
    """A worker by its name.

    Args:
        client: the server, with the key of the account that it works for.
        name: its own among the workers of that account.
        sandbox: whether programs run in a sandbox, where its games run.
        tell: called with a line for each job.
        games: where its games run; None for this process. Live games run in this process.

    """

    def __init__(
        self,
        client: Client,
        name: str,
        sandbox: bool,
        tell: Tell = lambda line: None,
        games: Workers[PlayableJob, list[str]] | None = None,
    ):
        self._client, self._name, self._sandbox, self._tell = client, name, sandbox, tell
        self._elsewhere = games
        self._stop = threading.Event()
        self._number = 0

    def stop(self) -> None:
        """End after the job that is being played."""
        self._stop.set()

    def run(self, most: int | None = None) -> int:
        """Play jobs until `stop`, or until `most` have been reported; return their number.

        Raises `RefusedError` where the server has no use for this worker: its version, its key, or blocked.
        """
        registered = self._patiently(self._register)
        if registered is None:
            return 0
        self._number = registered["worker"]
        done, pauses = 0, _pauses()
        here = JobGames(self._sandbox)
        games = self._elsewhere or InProcessWorkers(here)
        with closing(ScratchFolder("bundles")) as folder, closing(here), closing(games):
            while not self._stop.is_set() and (most is None or done < most):
                job = self._patiently(self._lease)
                if job is None:
                    self._stop.wait(next(pauses))
                    continue
                pauses = _pauses()
                given = JobGiven.model_validate(job)
                if (bundles := self._bundles(given, folder.path)) is None:
                    break
                playable = PlayableJob(given, bundles)
                done += self._play(playable, games) if given.live is None else self._play_live(playable, here)
        return done

    def _register(self) -> Any:
        machine = {name: str(value) for name, value in surroundings()["machine"].items()}
        return self._client.post("/workers", {"name": self._name, "version": VERSION, "machine": machine})

    def _lease(self) -> Any:
        return self._client.post("/jobs", {"worker": self._number, "sandbox": self._sandbox})

    def _play(self, playable: PlayableJob, games: Workers[PlayableJob, list[str]]) -> bool:
        """Play a job and report it; return False if it went to somebody else meanwhile."""
        job = playable.job
        with self._renewed(job):
            [(_, lines)] = games.do([playable])
        report = {"lease": job.lease, "games": lines}
        try:
            taken = self._patiently(lambda: self._client.post(f"/jobs/{job.id}/report", report), job.lease_s)
        except RefusedError as error:
            if error.status != 409:
                raise
            self._tell(str(error))
            return False
        self._tell(f"job {job.id}: {job.game}, {' - '.join(seat.player for seat in job.table)}")
        return taken is not None

    def _play_live(self, playable: PlayableJob, here: JobGames) -> bool:
        """Play in a live game to its end; return False if the worker ends before, or lost the job to another."""
        job = playable.job
        game, limits, [seat] = game_of_server(job.game), limits_of(job), job.table
        try:
            spec = here.agent(seat, playable.bundles)
        except BuildError:
            lost = {"reason": Reason.CRASHED.value, "lease": job.lease}
            return self._patiently(lambda: self._client.post(f"/live/{job.live}/end", lost)) is not None
        self._tell(f"job {job.id}: live game {job.live}, {job.game}, {seat.player}")
        try:
            with self._renewed(job):
                return play_live(self._client, job, game, spec, limits, self._patiently, self._stop.is_set)
        except RefusedError as error:
            if error.status not in (403, 409):
                raise
            self._tell(str(error))
            return False

    @contextmanager
    def _renewed(self, job: JobGiven) -> Iterator[None]:
        """Renew the lease of a job meanwhile."""
        ended = threading.Event()

        def renew() -> None:
            while not ended.wait(job.lease_s / RENEWALS):
                try:
                    self._client.post(f"/jobs/{job.id}/lease", {"lease": job.lease})
                except UnreachableError:
                    continue  # the lease lasts for two more attempts
                except UsageError:
                    return  # it is lost; the report will say so

        thread = threading.Thread(target=renew, name="lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _bundles(self, job: JobGiven, folder: Path) -> dict[str, bytes] | None:
        """Return the bundles of a job by hash; those that `folder` has not are fetched. None if it was stopped."""
        bundles: dict[str, bytes] = {}
        for digest in {seat.bundle for seat in job.table if seat.bundle is not None}:
            kept = folder / digest
            if not kept.exists():
                content = self._patiently(partial(self._client.fetch, f"/bundles/{digest}"))
                if content is None:
                    return None
                if hashlib.sha256(content).hexdigest() != digest:
                    raise UsageError(f"bundle {digest[:12]} came with another hash")
                kept.write_bytes(content)
            bundles[digest] = kept.read_bytes()
        return bundles

    def _patiently(self, request: Callable[[], Any], last_s: float = 0.0) -> Any:
        """Return the answer of a request that is repeated while the server cannot be reached.

        A worker that has been stopped gives up after `last_s` seconds; the answer is None then.
        """
        pauses, until = _pauses(), time.monotonic() + last_s
        while True:
            try:
                return request()
            except UnreachableError as error:
                if self._stop.is_set() and time.monotonic() > until:
                    return None
                pause = next(pauses)
                self._tell(f"{error}; again in {pause:.1f} s")
                (time.sleep if self._stop.is_set() else self._stop.wait)(pause)


def _pauses() -> Iterator[float]:
    """Yield pauses, each up to twice as long as the one before, so that many workers do not come back at once."""
    pause = FIRST_PAUSE_S
    while True:
        yield pause * random.uniform(0.5, 1.0)
        pause = min(2 * pause, LONGEST_PAUSE_S)
