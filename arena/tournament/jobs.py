"""Playing jobs: what every worker does, in this process or elsewhere."""

from collections import OrderedDict
from dataclasses import dataclass

from arena.errors import UsageError
from arena.match.batch import play_matches
from arena.match.contained import ContainedPolicy
from arena.match.limits import Limits
from arena.match.match import Match
from arena.match.verdict import MatchRecord
from arena.policy.protocol import Policy
from arena.policy.torch_modes import torch_threads
from arena.registry import make_agent, make_game
from arena.tournament.entrants import Entrant
from arena.tournament.pairing import Job
from games.engine.game import Game
from games.engine.options import Option

MOST_CONTAINED = 8
"""Agents in processes of their own that one worker keeps ready."""

Played = tuple[Job, list[MatchRecord]]


@dataclass(frozen=True)
class Setup:
    """What a worker has to know before its first job."""

    game: str
    options: tuple[tuple[str, Option], ...]
    entrants: tuple[Entrant, ...]
    limits: Limits
    threads: int

    def require_portable(self) -> None:
        """`UsageError` if an entrant is a policy of this process."""
        assert all(entrant.spec for entrant in self.entrants)

    def doer(self) -> "JobPlayer":
        """Who plays, in the process of a worker."""
        return JobPlayer(self)

    def lost(self, job: Job, tries: int, how: str) -> UsageError:
        """What is said of a job that no worker survives."""
        return UsageError(
            f"{who(self, job)}: the worker {how} in {tries} tries to play games {job.numbers[0]} to {job.numbers[-1]}; "
            "with --memory or --time-per-move each agent plays in a process of its own, and loses when that dies"
        )


class JobPlayer:
    """Plays jobs in this process; makes agents when they are first needed."""

    def __init__(self, setup: Setup):
        self._setup = setup
        self._game: Game = make_game(setup.game, **dict(setup.options))
        self._seated: OrderedDict[int, Policy] = OrderedDict()  # the one that played last stands last

    def seat(self, player: int) -> Policy:
        """The agent of a player; `UsageError` if it cannot be made for this game."""
        if player not in self._seated:
            entrant, limits = self._setup.entrants[player], self._setup.limits
            if limits:
                self._seated[player] = ContainedPolicy(entrant.spec, self._game, limits)
            elif isinstance(entrant.agent, str):
                self._seated[player] = make_agent(entrant.agent, self._game)
            else:
                self._seated[player] = entrant.agent
        self._seated.move_to_end(player)
        return self._seated[player]

    def do(self, job: Job, common: None) -> list[MatchRecord]:
        """The records of a job's games."""
        players = [(self._setup.entrants[player].name, self.seat(player)) for player in job.table]
        if self._setup.limits:
            self._dismiss(max(MOST_CONTAINED, len(job.table)))
        with torch_threads(self._setup.threads):
            if not job.alone:
                return play_matches(self._game, players, job.pairings, job.seed)
            return [
                Match(self._game, [players[place] for place in one.seating], one.seed, one.opening).play_out()
                for one in job.pairings
            ]

    def close(self) -> None:
        """Let go of all agents that were made here."""
        self._dismiss(0)

    def _dismiss(self, kept: int) -> None:
        """Close all but the agents that played last."""
        while len(self._seated) > kept:
            player, policy = self._seated.popitem(last=False)
            if policy is not self._setup.entrants[player].agent:
                policy.close()


def who(setup: Setup, job: Job) -> str:
    """The names of those at a job's table."""
    return " - ".join(setup.entrants[player].name for player in job.table)
