"""Games that a store lacks: those of tables of players that have not met often enough under a clock.

The next games take up where the stored ones end, with the next openings. So an agent that joins N others costs its N
meetings, and a run that was killed goes on where it was.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.match.starts import Opening
from arena.store import Selection, Store
from arena.tournament.config import TournamentConfig
from arena.tournament.ladder import limits_words, runs_by_clock
from arena.tournament.pairing import JobScheduler, Table, TournamentJob
from arena.tournament.tally import Played, from_store
from games.engine.game import Game


@dataclass(frozen=True)
class StoredGames:
    """The games of a store among players, under the clock of a tournament."""

    store: Store
    game: Game
    names: tuple[str, ...]
    config: TournamentConfig

    def played(self) -> Played:
        """Return their results, with the players in order of entry."""
        clock = limits_words(self.config.limits)
        runs = runs_by_clock(self.store, self.game.label).get(clock, ())
        wanted = Selection(self.game.label, self.names, runs)
        return from_store(self.store.results(wanted, itself=not self.game.competitive))

    def counts(self) -> Counter[tuple[str, ...]]:
        """Return the number of games of each table of players, their names in alphabetical order."""
        played, counts = self.played(), Counter[tuple[str, ...]]()
        for seated, count in zip(played.games.players.tolist(), played.games.counts.tolist(), strict=True):
            counts[tuple(sorted(played.names[player] for player in seated))] += int(count)
        return counts

    def missing(
        self, tables: Sequence[Table], openings: Sequence[Opening], scheduler: JobScheduler, first: int
    ) -> Iterator[TournamentJob]:
        """Yield the jobs of the games that tables lack, numbered from `first`."""
        known, sides = self.counts(), scheduler.num_seats
        for table in tables:
            done = known[tuple(sorted(self.names[player] for player in table))] // sides
            for job in scheduler.jobs([table], openings, self.config.seed, first, begin=done):
                yield job
                first += len(job.pairings)
