"""Playing the jobs of a server: in this process, in others of this machine, or on the nodes of a Ray cluster.

A job travels with the bundles of its bots, each of which is unpacked once in every process that plays.
"""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from arena.base.errors import UsageError
from arena.base.scratch import ScratchFolder
from arena.match.adjudication import Adjudication
from arena.match.batch import Pairing
from arena.match.json_lines import to_json_line
from arena.match.limits import Limits
from arena.match.unseated import UnseatedPolicy
from arena.processes.sandbox import use_sandbox
from arena.server.bots import require_open_spec
from arena.server.building import BuildError, build
from arena.server.bundles import read_bundle, unpack
from arena.server.client import game_of_server
from arena.server.matchmaking import seatings
from arena.server.models import JobGiven, SeatShown
from arena.tournament.entrants import Entrant
from arena.tournament.jobs import JobPlayer, TournamentSetup
from arena.tournament.pairing import TournamentJob

MEMORY = "2GB"
"""Memory of a bot from a bundle where the ladder names none."""
LONGEST_MOVE = "move=60s"
"""Clock of a table with a program on a ladder without one: a program that never answers would keep a worker."""


@dataclass(frozen=True)
class PlayableJob:
    """A job with all that its games need."""

    job: JobGiven
    bundles: Mapping[str, bytes]
    """Bundles of its bots by hash."""


class JobGames:
    """Plays jobs in this process; `sandbox` says whether programs are run, which is in a sandbox."""

    def __init__(self, sandbox: bool):
        self._sandbox = sandbox
        self._folder: ScratchFolder | None = None
        self._specs: dict[str, str] = {}  # of unpacked bundles, by hash
        self._failures: dict[str, str] = {}  # why bundles could not be built, by hash

    def do(self, job: PlayableJob, common: None = None) -> list[str]:
        """Return the games of a job as lines of JSON."""
        game, limits = game_of_server(job.job.game), limits_of(job.job)
        entrants = tuple(Entrant(seat.player, self._entrant(seat, job.bundles)) for seat in job.job.table)
        setup = TournamentSetup(game.name, tuple(game.options.items()), entrants, limits, 1, Adjudication())
        opening = tuple(tuple(action) if isinstance(action, list) else action for action in job.job.opening)
        pairings = tuple(Pairing(side, job.job.seed, opening) for side in seatings(len(entrants)))
        places = tuple(range(len(entrants)))
        with closing(_player(setup)) as player:
            records = player.do(TournamentJob(0, places, pairings, job.job.seed, alone=True), None)
        return [to_json_line(game, record) for record in records]

    def agent(self, seat: SeatShown, bundles: Mapping[str, bytes]) -> str:
        """Return the spec of a player, which this machine may run; `UsageError` for any other.

        Raises `BuildError` for one that cannot be built.
        """
        if seat.bundle is None:
            require_open_spec(seat.agent)
            return seat.agent
        if seat.bundle in self._failures:
            raise BuildError(self._failures[seat.bundle])
        if seat.bundle not in self._specs:
            self._folder = self._folder or ScratchFolder("bots")
            self._specs[seat.bundle] = self._placed(bundles[seat.bundle], self._folder.path / seat.bundle)
        spec = self._specs[seat.bundle]
        if spec.startswith("cmd:") and not self._sandbox:
            raise UsageError("the server gave a program to a worker without a sandbox")
        return spec

    def _entrant(self, seat: SeatShown, bundles: Mapping[str, bytes]) -> str | UnseatedPolicy:
        """Return the spec of a player, or who loses in the place of one that cannot be built."""
        try:
            return self.agent(seat, bundles)
        except BuildError as error:
            return UnseatedPolicy(str(error))

    def _placed(self, content: bytes, folder: Path) -> str:
        """Unpack a bundle into a folder, and build it if it says how; return its spec."""
        bundle = read_bundle(content)
        spec = unpack(bundle, folder)
        if bundle.build is None or not self._sandbox:
            return spec
        built = folder.with_name(f"{folder.name}-built")
        try:
            build(bundle.build, folder, built)
        except BuildError as error:
            self._failures[folder.name] = str(error)
            raise
        return bundle.agent_in(built)

    def close(self) -> None:
        """Remove what was unpacked."""
        if self._folder is not None:
            self._folder.close()


@dataclass(frozen=True)
class JobGamesSetup:
    """Data that a process needs before its first job."""

    sandbox: bool

    def runner(self) -> JobGames:
        """Return what plays the jobs; `UsageError` where the sandbox does not work."""
        if self.sandbox:
            use_sandbox()
        return JobGames(self.sandbox)

    def lost(self, job: PlayableJob, tries: int, how: str) -> UsageError:
        """Return the error for a job that no process survives."""
        return UsageError(f"job {job.job.id}: {tries} processes in a row have not survived it; the last one {how}")


def limits_of(job: JobGiven) -> Limits:
    """Return the limits of the bots of a job."""
    has_bundle = any(seat.bundle for seat in job.table)
    has_program = any(seat.agent.startswith("cmd:") for seat in job.table)
    return Limits(
        clock=job.clock or (LONGEST_MOVE if has_program else None),
        memory=job.memory or (MEMORY if has_bundle else None),
    )


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
