"""A worker: takes jobs of a server, plays them by the runner of tournaments, and reports, until it is stopped.

It trusts the server with nothing but the choice of games: a spec must be one that runs no program and reads no file, a
bundle is checked by its hash and by its rules, and programs run in a sandbox or not at all. While a job is played, a
thread renews its lease. A server that does not answer is asked again, after longer and longer pauses; a report is
repeated until it has been taken or refused, so that no game that was played is lost.
"""

import hashlib
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.base.errors import UsageError
from arena.base.surroundings import surroundings
from arena.match.adjudication import Adjudication
from arena.match.batch import Pairing
from arena.match.json_lines import to_json_line
from arena.match.limits import Limits
from arena.match.unseated import UnseatedPolicy
from arena.server.bots import require_open_spec
from arena.server.bundles import unpack
from arena.server.client import Client, UnreachableError, game_of_server
from arena.server.live_bot import play_live
from arena.server.matchmaking import seatings
from arena.server.models import JobGiven, SeatShown
from arena.server.refusals import RefusedError
from arena.server.workers import VERSION
from arena.tournament.entrants import Entrant
from arena.tournament.jobs import JobPlayer, TournamentSetup
from arena.tournament.pairing import TournamentJob

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
"""Pauses before a server is asked again."""
MEMORY = "2GB"
"""Memory of a bot from a bundle where the ladder names none."""
Tell = Callable[[str], None]


class Worker:
    """A worker by its name; `sandbox` says that programs run in one here."""

    def __init__(self, client: Client, name: str, sandbox: bool, tell: Tell = lambda line: None):
        self._client, self._name, self._sandbox, self._tell = client, name, sandbox, tell
        self._stop = threading.Event()
        self._number = 0
        self._bundles: dict[str, str] = {}  # specs by hash

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
        self._bundles.clear()
        with tempfile.TemporaryDirectory(prefix="arena-bots-") as folder:
            while not self._stop.is_set() and (most is None or done < most):
                job = self._patiently(self._lease)
                if job is None:
                    self._stop.wait(next(pauses))
                    continue
                pauses = _pauses()
                done += self._play(JobGiven.model_validate(job), Path(folder))
        return done

    def _register(self) -> Any:
        machine = {name: str(value) for name, value in surroundings()["machine"].items()}
        return self._client.post("/workers", {"name": self._name, "version": VERSION, "machine": machine})

    def _lease(self) -> Any:
        return self._client.post("/jobs", {"worker": self._number, "sandbox": self._sandbox})

    def _play(self, job: JobGiven, folder: Path) -> bool:
        """Play a job and report it; return False if it went to somebody else meanwhile."""
        if job.live is not None:
            return self._play_live(job, folder)
        with self._renewed(job):
            lines = play_job(job, lambda digest: self._bundle(digest, folder), self._sandbox)
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

    def _play_live(self, job: JobGiven, folder: Path) -> bool:
        """Play in a live game to its end; return False if the worker ends before, or lost the job to another."""
        game, limits, [seat] = game_of_server(job.game), limits_of(job), job.table
        spec = _agent(seat, lambda digest: self._bundle(digest, folder), self._sandbox)
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
            while not ended.wait(job.lease_s / 3):
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

    def _bundle(self, digest: str, folder: Path) -> str:
        """Return the spec of a bundle that lies below `folder`; fetch it if need be."""
        if digest in self._bundles:
            return self._bundles[digest]
        content = self._patiently(lambda: self._client.fetch(f"/bundles/{digest}"))
        if hashlib.sha256(content).hexdigest() != digest:
            raise UsageError(f"bundle {digest[:12]} came with another hash")
        self._bundles[digest] = unpack(content, folder / digest)
        return self._bundles[digest]

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


def play_job(job: JobGiven, bundle: Callable[[str], str], sandbox: bool) -> list[str]:
    """Return the games of a job as lines of JSON; `bundle` returns the spec of a bundle by its hash."""
    game, limits = game_of_server(job.game), limits_of(job)
    entrants = tuple(Entrant(seat.player, _agent(seat, bundle, sandbox)) for seat in job.table)
    setup = TournamentSetup(game.name, tuple(game.options.items()), entrants, limits, 1, Adjudication())
    places = range(len(entrants))
    opening = tuple(tuple(action) if isinstance(action, list) else action for action in job.opening)
    pairings = tuple(Pairing(side, job.seed, opening) for side in seatings(len(entrants)))
    with closing(_player(setup)) as player:
        records = player.do(TournamentJob(0, tuple(places), pairings, job.seed, alone=True), None)
    return [to_json_line(game, record) for record in records]


def limits_of(job: JobGiven) -> Limits:
    """Return the limits of the bots of a job."""
    return Limits(clock=job.clock, memory=job.memory or (MEMORY if any(seat.bundle for seat in job.table) else None))


def _player(setup: TournamentSetup) -> JobPlayer:
    """Return the player of a job with everybody seated; for a bot that cannot be made sits who loses in its place."""
    player = JobPlayer(setup)
    for place, entrant in enumerate(setup.entrants):
        try:
            player.seat(place)
        except UsageError as error:
            player.close()
            entrants = list(setup.entrants)
            entrants[place] = Entrant(entrant.name, UnseatedPolicy(str(error).splitlines()[0]))
            return _player(replace(setup, entrants=tuple(entrants)))
    return player


def _agent(seat: SeatShown, bundle: Callable[[str], str], sandbox: bool) -> str:
    """Return the spec of a player, which this machine may run; `UsageError` for any other."""
    if seat.bundle is None:
        require_open_spec(seat.agent)
        return seat.agent
    spec = bundle(seat.bundle)
    if spec.startswith("cmd:") and not sandbox:
        raise UsageError("the server gave a program to a worker without a sandbox")
    return spec


def _pauses() -> Iterator[float]:
    """Yield pauses, each up to twice as long as the one before, so that many workers do not come back at once."""
    pause = FIRST_PAUSE_S
    while True:
        yield pause * random.uniform(0.5, 1.0)
        pause = min(2 * pause, LONGEST_PAUSE_S)
