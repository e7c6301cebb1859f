"""The plan of a tournament: the jobs of its format, part by part."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from math import ceil, log2

from arena.tournament.config import TournamentConfig
from arena.tournament.knockout import Round, knockout_rounds, most_openings
from arena.tournament.ledger import Ledger
from arena.tournament.openings import openings_of
from arena.tournament.pairing import (
    JobScheduler,
    Table,
    TournamentJob,
    gauntlet,
    openings_needed,
    round_robin,
    swiss_round,
    teams,
)
from arena.tournament.tally import pairwise
from games.engine.game import Game


class TournamentPlan:
    """The games of a tournament; `UsageError` for openings that cannot be played."""

    def __init__(self, game: Game, field: JobScheduler, config: TournamentConfig):
        self._field, self._config, self._competitive = field, config, game.competitive
        self._rounds = (config.rounds or ceil(log2(field.num_players)) + 1) if config.format == "swiss" else 1
        self._is_knockout = config.format == "knockout"
        self._per_table = openings_needed(config.num_games, game.num_players)
        needed = self._rounds * self._per_table
        if self._is_knockout:
            needed = most_openings(field.num_players, self._per_table)
        self.openings = openings_of(game, config.openings, needed, config.seed)

    @property
    def total(self) -> int:
        """Number of games; the maximum for an sprt, the minimum for a knockout."""
        players, seats = self._field.num_players, self._field.num_seats
        if self._config.format == "swiss":
            return self._rounds * (players // seats) * self._config.num_games
        if self._is_knockout:
            return (players - 1) * self._config.num_games
        return len(self.tables()) * self._config.num_games

    def parts(self, ledger: Ledger) -> Iterator[Iterator[TournamentJob]]:
        """Yield the jobs, part by part; a part may depend on the results of the one before."""
        if self._config.format == "swiss":
            yield from self._swiss(ledger)
        elif self._is_knockout:
            yield from self._knockout(ledger)
        else:
            yield self._field.jobs(self.tables(), self.openings, self._config.seed)

    def tables(self) -> list[Table]:
        """Return all tables of a format that knows them beforehand."""
        players, seats, first = self._field.num_players, self._field.num_seats, self._config.format == "gauntlet"
        if not self._competitive:
            return teams(players, seats, of=0 if first else None)
        return gauntlet(players, seats) if first else round_robin(players, seats)

    def knockout(self, ledger: Ledger) -> list[Round]:
        """Return the rounds of a knockout whose games have all been played."""
        parts = self._knockout(ledger)
        while True:
            try:
                next(parts)
            except StopIteration as end:
                rounds: list[Round] = end.value
                return rounds

    def _knockout(self, ledger: Ledger) -> Generator[Iterator[TournamentJob], None, list[Round]]:
        jobs: list[TournamentJob] = []

        def played(table: Table) -> tuple[float, float]:
            points = [0.0] * self._field.num_players
            self._add_points(points, [job for job in jobs if job.table == table], ledger)
            return points[table[0]], points[table[1]]

        rounds = knockout_rounds(self._field.num_players, played)
        first = begin = 0
        while True:
            try:
                tables, is_tiebreak = next(rounds)
            except StopIteration as end:
                known: list[Round] = end.value
                return known
            until = begin + (1 if is_tiebreak else self._per_table)
            jobs = list(self._field.jobs(tables, self.openings[:until], self._config.seed, first, begin))
            yield iter(jobs)
            first, begin = first + sum(len(job.pairings) for job in jobs), until

    def _swiss(self, ledger: Ledger) -> Iterator[Iterator[TournamentJob]]:
        before: list[list[Table]] = []
        points = [0.0] * self._field.num_players
        seats, seed = self._field.num_seats, self._config.seed
        for number in range(self._rounds):
            tables = swiss_round(points, before, seats, seed)
            openings = self.openings[number * self._per_table : (number + 1) * self._per_table]
            first = number * len(tables) * self._config.num_games
            jobs = list(self._field.jobs(tables, openings, seed, first))
            yield iter(jobs)
            before.append(tables)
            self._score(points, jobs, ledger)

    def _score(self, points: list[float], jobs: Iterable[TournamentJob], ledger: Ledger) -> None:
        """Add the points of a round; a player who sat out gets those of winning all its games."""
        seated = {player for job in jobs for player in job.table}
        for player in set(range(len(points))) - seated:
            points[player] += self._config.num_games * (self._field.num_seats - 1)
        self._add_points(points, jobs, ledger)

    def _add_points(self, points: list[float], jobs: Iterable[TournamentJob], ledger: Ledger) -> None:
        """Add the points of all games of these jobs."""
        for job in jobs:
            for pairing, record in zip(job.pairings, ledger.of(job), strict=True):
                shares: Sequence[float] = pairwise(record.verdict.returns).sum(axis=1).tolist()
                for place, share in zip(pairing.seating, shares, strict=True):
                    points[job.table[place]] += share
