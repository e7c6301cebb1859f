"""The games of a tournament that have been played, in memory and in a store."""

from collections.abc import Iterable

from arena.match.verdict import MatchRecord
from arena.store import Run, Store
from arena.tournament.pairing import Job


class Ledger:
    """Keeps records by the numbers of their games; begins with those that `run` of a store has already."""

    def __init__(self, store: Store | None = None, run: Run | None = None):
        self._store, self._run = store, run
        self._records: dict[int, MatchRecord] = {}
        if store is not None and run is not None:
            self._records.update(store.played(run.id))

    def __len__(self) -> int:
        return len(self._records)

    @property
    def records(self) -> list[MatchRecord]:
        """All games in the order of their numbers."""
        return [self._records[number] for number in sorted(self._records)]

    def holds(self, job: Job) -> bool:
        """Whether all games of a job have been played."""
        return all(number in self._records for number in job.numbers)

    def of(self, job: Job) -> list[MatchRecord]:
        """The games of a job."""
        return [self._records[number] for number in job.numbers]

    def add(self, job: Job, records: Iterable[MatchRecord]) -> None:
        """Keep the games of a job, or the first of them; in the store all at once, and before anybody sees them."""
        played = dict(zip(job.numbers, records, strict=False))
        if self._store is not None and self._run is not None:
            self._store.add_games(self._run.id, played.items())
        self._records.update(played)
