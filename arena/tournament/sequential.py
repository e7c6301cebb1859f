"""The format `sprt`: two players meet until it is clear whether the first is stronger."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.match.verdict import MatchRecord
from arena.ratings.head_to_head import compare
from arena.ratings.sprt import Decision, Sprt
from arena.tournament.jobs import Played
from arena.tournament.pairing import Job

PAIR = 2
"""Games of an opening."""


@dataclass(frozen=True)
class SprtResult:
    """Where a test stands, or how it ended."""

    decision: Decision | None
    """None if it has not ended."""
    llr: float
    """Log-likelihood ratio of H1 to H0."""
    pairs: tuple[int, int, int, int, int]
    """Pairs by what the first player scored in both games: 0, 1/2, 1, 3/2, 2."""


def in_words(result: SprtResult, sprt: Sprt, first: str) -> str:
    """What a test of the player `first` found, in three lines."""
    low, high = sprt.bounds
    estimate = compare(result.pairs)
    claims = {"H0": f"by no more than {sprt.elo0:g} Elo (H0)", "H1": f"by {sprt.elo1:g} Elo (H1)"}
    found = "it is not clear yet" if result.decision is None else f"{first} is stronger {claims[result.decision]}"
    told = (
        f"SPRT: {found}. Log-likelihood ratio {result.llr:.2f}, bounds {low:.2f} and {high:.2f};\n"
        f"{sum(result.pairs)} pairs, of which {first} scored 0: {result.pairs[0]}, 1/2: {result.pairs[1]}, "
        f"1: {result.pairs[2]}, 3/2: {result.pairs[3]}, 2: {result.pairs[4]}\n"
    )
    if max(result.pairs) == sum(result.pairs):
        return f"{told}All pairs brought the same, from which no difference in Elo can be estimated"
    return (
        f"{told}Elo by these pairs, which a test that stops early overstates: "
        f"{estimate.elo:+z.1f} ± {estimate.error:.1f}, "
        f"normalised {estimate.normalised_elo:+z.1f} ± {estimate.normalised_error:.1f}; "
        f"likelihood of superiority {100 * estimate.superiority:.1f} %"
    )


def standing(result: SprtResult, sprt: Sprt) -> str:
    """Where a test stands, in one line."""
    low, high = sprt.bounds
    return f"Log-likelihood ratio {result.llr:.2f} of {low:.2f} (H0) to {high:.2f} (H1), {sum(result.pairs)} pairs"


class SequentialTest:
    """A test of the player `first`, fed with pairs of games in their order; it counts none after its decision."""

    def __init__(self, sprt: Sprt, first: str):
        self.sprt, self._first = sprt, first
        self._pairs: NDArray[np.int64] = np.zeros(5, np.int64)
        self.decision: Decision | None = None

    def counted(self, records: Sequence[MatchRecord]) -> Sequence[MatchRecord]:
        """Take whole pairs into account, up to the one that decides; returns those."""
        for start in range(0, len(records), PAIR):
            if self.decision is not None:
                return records[:start]
            self._pairs[sum(self._half_points(record) for record in records[start : start + PAIR])] += 1
            self.decision, _ = self.sprt.decide(self._pairs)
        return records

    @property
    def result(self) -> SprtResult:
        """Where it stands."""
        a, b, c, d, e = self._pairs.tolist()
        return SprtResult(self.decision, self.sprt.llr(self._pairs), (a, b, c, d, e))

    def _half_points(self, record: MatchRecord) -> int:
        own = record.verdict.returns[record.players.index(self._first)]
        other = record.verdict.returns[1 - record.players.index(self._first)]
        return 2 * (own > other) + (own == other)


def in_order(jobs: Iterable[Job], play: Callable[[Iterable[Job]], Generator[Played]]) -> Generator[Played]:
    """Results in the order of the jobs, whenever they are done."""
    asked: deque[Job] = deque()
    done: dict[int, Played] = {}

    def noted() -> Iterator[Job]:
        for job in jobs:
            asked.append(job)
            yield job

    for job, records in play(noted()):
        done[job.first] = job, records
        while asked and asked[0].first in done:
            yield done.pop(asked.popleft().first)
