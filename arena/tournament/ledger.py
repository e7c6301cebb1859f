"""Finished games of a tournament, in memory and in a store."""

from collections.abc import Iterable

from arena.match.verdict import MatchRecord
from arena.store import Store, StoredRun
from arena.tournament.pairing import TournamentJob


class Ledger:
    """Records by game number; begins with those of `run` in the store."""

    def __init__(self, store: Store | None = None, run: StoredRun | None = None):
        self._store, self._run = store, run
        self._records: dict[int, MatchRecord] = {}
        if store is not None and run is not None:
            self._records.update(store.played(run.id))

    def __len__(self) -> int:
        return len(self._records)

    @property
    def next(self) -> int:
        """Number of the first game after all that were played."""
        return 1 + max(self._records, default=-1)

    @property
    def records(self) -> list[MatchRecord]:
        """All records, in order of their numbers."""
        return [self._records[number] for number in sorted(self._records)]

    def holds(self, job: TournamentJob) -> bool:
        """Return whether all games of a job have been played."""
        return all(number in self._records for number in job.numbers)

    def of(self, job: TournamentJob) -> list[MatchRecord]:
        """Return the records of a job."""
        return [self._records[number] for number in job.numbers]

    def add(self, job: TournamentJob, records: Iterable[MatchRecord]) -> None:
        """Add all or the first games of a job: to the store first, in one transaction, then to memory."""
        played = dict(zip(job.numbers, records, strict=False))
        if self._store is not None and self._run is not None:
            self._store.add_games(self._run.id, played.items())
        self._records.update(played)
