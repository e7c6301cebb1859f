"""A sequential test of two players, which stops as soon as the results decide whether the first is stronger.

Wald's sequential probability ratio test (1945) on the generalised log-likelihood ratio of trinomial counts (single
games) or pentanomial counts (pairs of games of one opening), both as in `head_to_head`. Nuisance parameters (the share
of draws, how openings favour a side) are set to their likeliest values under each hypothesis: the likeliest
distribution of scores with the mean, or the mean in standard deviations, that the hypothesis claims. Formulas are from
M. Van den Bergh, "Comments on Normalized Elo" (cantate.be/Fishtest/normalized_elo_practical.pdf), proposition 1.1 and
section 4.1, as in fishtest and fastchess.

Where all results are the same, the first versions of fastchess had other figures, of an approximation: +2.97 for 16,700
draws under normalised Elo of 0 against 5, where H0 fits perfectly and no ratio above 0 is possible (here -3.45), and
2.94 for 104 pairs won (here 2.09). It has since changed to the exact ones, and agrees with those here: 120.56 for 4,250
wins, 111.82 for 5,550 pairs won (fastchess, app/tests/sprt_test.cpp).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.base.jit import njit
from arena.ratings.head_to_head import NORMALISED, elo_to_score

Decision = Literal["H0", "H1"]

EMPTY = 1e-3
"""Replaces counts of 0: a result that has not occurred is not impossible."""


@dataclass(frozen=True)
class Sprt:
    """A test of "the first player is stronger by `elo1`" (H1) against "by no more than `elo0`" (H0)."""

    elo0: float = 0.0
    """Elo difference under H0."""
    elo1: float = 10.0
    """Elo difference under H1; above `elo0`."""
    alpha: float = 0.05
    """Chance to accept H1 where H0 is true."""
    beta: float = 0.05
    """Chance to accept H0 where H1 is true."""
    elo_model: Literal["logistic", "normalized"] = "logistic"
    """Scale of elo0 and elo1: logistic, Elo as in the rating table; normalized, in standard deviations of a game."""

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise UsageError(f"elo0={self.elo0:g} is not below elo1={self.elo1:g}")
        for name, chance in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < chance < 0.5:
                raise UsageError(f"{name}={chance:g} is not between 0 and 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """Log-likelihood ratios at which the test stops: at most the first for H0, at least the second for H1."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[float] | NDArray[Any]) -> float:
        """Log-likelihood ratio of H1 to H0 for trinomial [3] or pentanomial [5] counts; 0 without results."""
        counts = np.asarray(counts, np.float64)
        if counts.shape not in ((3,), (5,)) or (counts < 0).any():
            raise UsageError(f"counts {counts.tolist()} are not 3 or 5 numbers from 0")
        if not counts.any():
            return 0.0
        if self.elo_model == "normalized":
            games = 1 if len(counts) == 3 else 2
            low, high = (elo * math.sqrt(games) / NORMALISED for elo in (self.elo0, self.elo1))
            return float(llr_of_t_values(counts, low, high))
        return float(llr_of_means(counts, elo_to_score(self.elo0), elo_to_score(self.elo1)))

    def decide(self, counts: Sequence[float] | NDArray[Any]) -> tuple[Decision | None, float]:
        """Return the decision after all results so far, None to continue, and their log-likelihood ratio.

        The error rates hold if it is called after every result, in the order of play, and the first decision stands.
        """
        llr, (low, high) = self.llr(counts), self.bounds
        return ("H0" if llr <= low else "H1" if llr >= high else None), llr


@njit(cache=True)
def llr_of_means(counts: NDArray[np.float64], mean0: float, mean1: float) -> float:
    """Return the log-likelihood ratio of mean `mean1` to `mean0`, for counts [K] of even scores from 0 to 1."""
    counts = np.where(counts == 0, EMPTY, counts)
    observed, scores = counts / counts.sum(), np.linspace(0, 1, len(counts))
    return (counts * np.log(likeliest(observed, scores - mean1) / likeliest(observed, scores - mean0))).sum()


@njit(cache=True)
def llr_of_t_values(counts: NDArray[np.float64], t0: float, t1: float) -> float:
    """Return the log-likelihood ratio as `llr_of_means`, for hypotheses on (mean - 1/2) / standard deviation."""
    counts = np.where(counts == 0, EMPTY, counts)
    observed, scores = counts / counts.sum(), np.linspace(0, 1, len(counts))
    return (counts * np.log(with_t_value(observed, scores, t1) / with_t_value(observed, scores, t0))).sum()


@njit(cache=True)
def with_t_value(observed: NDArray[np.float64], scores: NDArray[np.float64], t: float) -> NDArray[np.float64]:
    """Return the likeliest probabilities [K] with (mean - 1/2) / standard deviation = `t`; section 4.1."""
    chances = np.full(len(observed), 1 / len(observed))
    for _ in range(50):
        before, mean = chances, (chances * scores).sum()
        deviation = math.sqrt((chances * (scores - mean) ** 2).sum())
        chances = likeliest(observed, scores - 0.5 - t * deviation * (1 + ((mean - scores) / deviation) ** 2) / 2)
        if np.abs(chances - before).max() < 1e-10:
            break
    return chances


@njit(cache=True)
def likeliest(observed: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the likeliest probabilities [K] under which `values` [K] are 0 on average; proposition 1.1 of the source.

    They are observed / (1 + x * values) for the x that solves sum(observed * values / (1 + x * values)) = 0. The sum
    decreases between its poles, so bisection finds the root.
    """
    low, high = -1 / values.max(), -1 / values.min()
    for _ in range(64):
        x = (low + high) / 2
        if (observed * values / (1 + x * values)).sum() > 0:
            low = x
        else:
            high = x
    return observed / (1 + x * values)
