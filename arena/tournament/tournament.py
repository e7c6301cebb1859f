"""A tournament: a round robin among agents, played in jobs, summed up in a rating table."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from arena.errors import UsageError
from arena.match.batch import play_matches, random_openings
from arena.match.verdict import MatchRecord
from arena.policy.protocol import Policy
from arena.policy.torch_modes import torch_threads
from arena.tournament.pairing import Job, openings_needed, round_robin
from arena.tournament.standings import Standings, pairwise, standings
from games.engine.game import Game

Progress = Callable[[int, int, str], None]
"""Told now and then: the games played, the games in all, and who leads (nobody, "", at the start)."""


@dataclass(frozen=True)
class TournamentConfig:
    """How a tournament is played; the same configuration and agents give the same games."""

    games: int = 40
    """Games of each pair of agents, half of them from either side."""
    openings: str = "random:4"
    """How games begin: random:N plays N random legal moves, each opening once from either side; random:0 none."""
    seed: int = 0
    """Fixes the openings and what the agents draw; 0 or more."""
    anchor: str | None = None
    """The agent whose rating is 0; without one, the mean of all is."""
    threads: int = 1
    """Threads that torch may use; more than one is slower but for large networks."""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"random:[0-9]{1,4}", self.openings):
            raise UsageError(f"openings {self.openings!r} are not of the form random:N, as random:4")
        if self.seed < 0:
            raise UsageError(f"seed={self.seed} is below 0")
        if self.threads < 1:
            raise UsageError(f"threads={self.threads} is not at least 1")

    @property
    def opening_plies(self) -> int:
        """Random moves at the start of every game."""
        return int(self.openings.removeprefix("random:"))


@dataclass(frozen=True)
class TournamentResult:
    """Everything that a tournament brought."""

    game: str
    """Label of the game with its options."""
    config: TournamentConfig
    records: tuple[MatchRecord, ...]
    standings: Standings


def schedule(game: Game, names: Sequence[str], config: TournamentConfig) -> list[Job]:
    """Everything that there is to play.

    Raises `UsageError` for too few or equal names, a number of games that does not give every opening to all sides, an
    anchor who does not play, or openings that outlast the game.
    """
    if game.num_players < 2:
        raise UsageError(f"{game.name} is played alone; a tournament needs a game of at least 2 players")
    if len(names) < game.num_players:
        raise UsageError(f"a tournament of {game.name} needs at least {game.num_players} agents, not {len(names)}")
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise UsageError(f"two agents of one name, {twice!r}; each agent plays under a name of its own")
    if config.anchor is not None and config.anchor not in names:
        raise UsageError(f"anchor {config.anchor!r} is not among the agents {', '.join(names)}")
    count = openings_needed(config.games, game.num_players)
    openings = random_openings(game, config.opening_plies, count, config.seed)
    return list(round_robin(len(names), game.num_players, openings, config.seed))


def run_tournament(
    game: Game, players: Mapping[str, Policy], config: TournamentConfig | None = None, progress: Progress | None = None
) -> TournamentResult:
    """Let every pair of `players` (by name) meet in `config.games` games, and rate them all.

    Raises `UsageError` as `schedule` does, before anything is played.
    """
    config = config or TournamentConfig()
    entered = list(players.items())
    jobs = schedule(game, list(players), config)
    total = sum(len(job.pairings) for job in jobs)
    records: list[MatchRecord] = []
    race = _Race(players)
    with torch_threads(config.threads):
        for job in jobs:
            if progress is not None:
                progress(len(records), total, race.leader)
            played = play_matches(game, [entered[i] for i in job.table], job.pairings, job.seed)
            records += played
            race.count(played)
    return TournamentResult(game.label, config, tuple(records), standings(list(players), records, config.anchor))


class _Race:
    """Who leads by points a game, while a tournament goes on."""

    def __init__(self, names: Iterable[str]):
        self._points = dict.fromkeys(names, 0.0)
        self._games = dict.fromkeys(self._points, 0)

    def count(self, records: list[MatchRecord]) -> None:
        """Count further games."""
        for record in records:
            points = pairwise(record.verdict.returns).sum(axis=1).tolist()
            for name, share in zip(record.players, points, strict=True):
                self._points[name] += share
                self._games[name] += 1

    @property
    def leader(self) -> str:
        """Name of the player who has the most points a game; "" before the first."""
        if not any(self._games.values()):
            return ""
        return max(self._points, key=lambda name: self._points[name] / max(self._games[name], 1))
