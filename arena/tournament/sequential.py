"""The format `sprt`: two players play until a test decides whether the first is stronger."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.match.verdict import MatchRecord
from arena.ratings.head_to_head import compare
from arena.ratings.sprt import Decision, Sprt
from arena.tournament.jobs import JobResult
from arena.tournament.pairing import TournamentJob

PAIR = 2
"""Games per opening."""


@dataclass(frozen=True)
class SprtResult:
    """State or result of a test."""

    decision: Decision | None
    """None while undecided."""
    llr: float
    """Log-likelihood ratio of H1 to H0."""
    pairs: tuple[int, int, int, int, int]
    """Number of pairs by the first player's points in both games: 0, 1/2, 1, 3/2, 2."""


def in_words(result: SprtResult, sprt: Sprt, first: str) -> str:
    """Return the result of a test of player `first` in three lines."""
    low, high = sprt.bounds
    estimate = compare(result.pairs)
    claims = {"H0": f"by no more than {sprt.elo0:g} Elo (H0)", "H1": f"by {sprt.elo1:g} Elo (H1)"}
    conclusion = "it is not clear yet" if result.decision is None else f"{first} is stronger {claims[result.decision]}"
    summary = (
        f"SPRT: {conclusion}. Log-likelihood ratio {result.llr:.2f}, bounds {low:.2f} and {high:.2f};\n"
        f"{sum(result.pairs)} pairs, of which {first} scored 0: {result.pairs[0]}, 1/2: {result.pairs[1]}, "
        f"1: {result.pairs[2]}, 3/2: {result.pairs[3]}, 2: {result.pairs[4]}\n"
    )
    if max(result.pairs) == sum(result.pairs):
        return f"{summary}All pairs brought the same, from which no difference in Elo can be estimated"
    return (
        f"{summary}Elo by these pairs, which a test that stops early overstates: "
        f"{estimate.elo:+z.1f} ± {estimate.error:.1f}, "
        f"normalised {estimate.normalised_elo:+z.1f} ± {estimate.normalised_error:.1f}; "
        f"likelihood of superiority {100 * estimate.superiority:.1f} %"
    )


def standing(result: SprtResult, sprt: Sprt) -> str:
    """Return the state of a test in one line."""
    low, high = sprt.bounds
    return f"Log-likelihood ratio {result.llr:.2f} of {low:.2f} (H0) to {high:.2f} (H1), {sum(result.pairs)} pairs"


class SequentialTest:
    """A test of player `first` on pairs of games in order; it counts none after its decision."""

    def __init__(self, sprt: Sprt, first: str):
        self.sprt, self._first = sprt, first
        self._pairs: NDArray[np.int64] = np.zeros(5, np.int64)
        self.decision: Decision | None = None

    def counted(self, records: Sequence[MatchRecord]) -> Sequence[MatchRecord]:
        """Count pairs of games up to the one that decides; return the counted ones."""
        for start in range(0, len(records), PAIR):
            if self.decision is not None:
                return records[:start]
            self._pairs[sum(self._half_points(record) for record in records[start : start + PAIR])] += 1
            self.decision, _ = self.sprt.decide(self._pairs)
        return records

    @property
    def result(self) -> SprtResult:
        """State of the test."""
        a, b, c, d, e = self._pairs.tolist()
        return SprtResult(self.decision, self.sprt.llr(self._pairs), (a, b, c, d, e))

    def _half_points(self, record: MatchRecord) -> int:
        mine = record.verdict.returns[record.players.index(self._first)]
        theirs = record.verdict.returns[1 - record.players.index(self._first)]
        return 2 * (mine > theirs) + (mine == theirs)


def in_order(
    jobs: Iterable[TournamentJob], play: Callable[[Iterable[TournamentJob]], Generator[JobResult]]
) -> Generator[JobResult]:
    """Yield results in the order of the jobs, though they may finish in another."""
    waiting: deque[TournamentJob] = deque()
    done: dict[int, JobResult] = {}

    def noted() -> Iterator[TournamentJob]:
        for job in jobs:
            waiting.append(job)
            yield job

    for job, records in play(noted()):
        done[job.first] = job, records
        while waiting and waiting[0].first in done:
            yield done.pop(waiting.popleft().first)
