"""Jobs of a tournament as a worker plays them, in this or another process."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from arena.base.errors import UsageError
from arena.match.adjudication import Adjudication, Adjudicator
from arena.match.batch import Pairing, play_matches
from arena.match.contained import ContainedPolicy
from arena.match.limits import Limits
from arena.match.match import Match
from arena.match.starts import parted, with_start
from arena.match.verdict import MatchRecord
from arena.policy.protocol import Policy
from arena.policy.registry import make_agent, make_game
from arena.policy.torch_modes import torch_threads
from arena.tournament.entrants import Entrant
from arena.tournament.pairing import TournamentJob
from games.engine.game import Game
from games.engine.options import Option

MOST_CONTAINED = 8
"""Most agents in processes of their own that one worker keeps open."""

JobResult = tuple[TournamentJob, list[MatchRecord]]


@dataclass(frozen=True)
class TournamentSetup:
    """Everything that a worker needs besides its jobs."""

    game: str
    options: tuple[tuple[str, Option], ...]
    entrants: tuple[Entrant, ...]
    limits: Limits
    threads: int
    adjudication: Adjudication

    def require_portable(self) -> None:
        """Raise `UsageError` if an entrant is a policy of this process."""
        assert all(entrant.spec for entrant in self.entrants)

    def runner(self) -> "JobPlayer":
        """Return the player of jobs, in the process of a worker."""
        return JobPlayer(self)

    def lost(self, job: TournamentJob, tries: int, how: str) -> UsageError:
        """Return the error for a job that ended every worker that tried it."""
        return UsageError(
            f"{matchup_text(self, job)}: the worker {how} in {tries} tries to play games {job.numbers[0]} to "
            f"{job.numbers[-1]}; "
            "with --memory or --time-per-move each agent plays in a process of its own, and loses when that dies"
        )


class JobPlayer:
    """Plays jobs in this process; makes each agent when it is first needed."""

    def __init__(self, setup: TournamentSetup):
        self._setup = setup
        self._game: Game = make_game(setup.game, **dict(setup.options))
        rules = setup.adjudication
        self._adjudicator = Adjudicator(self._game, rules) if rules else None
        self._seated: OrderedDict[tuple[int, int], Policy] = OrderedDict()  # in order of last use

    def seat(self, player: int, copy: int = 0) -> Policy:
        """Return the agent of a player, one for each `copy` of it at a table.

        Raises `UsageError` if it cannot be made for this game.
        """
        seated = player, copy
        if seated not in self._seated:
            entrant, limits = self._setup.entrants[player], self._setup.limits
            if not isinstance(entrant.agent, str):
                self._seated[seated] = entrant.agent
            elif limits:
                self._seated[seated] = ContainedPolicy(entrant.agent, self._game, limits)
            else:
                self._seated[seated] = make_agent(entrant.agent, self._game)
        self._seated.move_to_end(seated)
        return self._seated[seated]

    def do(self, job: TournamentJob, common: None) -> list[MatchRecord]:
        """Play a job; return the records of its games."""
        copies = [job.table[:place].count(player) for place, player in enumerate(job.table)]
        seated = zip(job.table, copies, strict=True)
        players = [(self._setup.entrants[player].name, self.seat(player, copy)) for player, copy in seated]
        if self._setup.limits:
            self._dismiss(max(MOST_CONTAINED, len(job.table)))
        with torch_threads(self._setup.threads):
            if not job.alone:
                return play_matches(self._game, players, job.pairings, job.seed, self._adjudicator)
            return [self._match(one, [players[place] for place in one.seating]).play_out() for one in job.pairings]

    def _match(self, pairing: Pairing, players: Sequence[tuple[str, Policy]]) -> Match:
        start, moves = parted(pairing.opening)
        game, limits = with_start(self._game, start), self._setup.limits
        return Match(game, players, pairing.seed, moves, limits, self._adjudicator)

    def close(self) -> None:
        """Close all agents that were made here."""
        self._dismiss(0)

    def _dismiss(self, kept: int) -> None:
        """Close all but the `kept` agents used last."""
        while len(self._seated) > kept:
            (player, _), policy = self._seated.popitem(last=False)
            if policy is not self._setup.entrants[player].agent:
                policy.close()


def matchup_text(setup: TournamentSetup, job: TournamentJob) -> str:
    """Return the names of a job's players."""
    return " - ".join(setup.entrants[player].name for player in job.table)
