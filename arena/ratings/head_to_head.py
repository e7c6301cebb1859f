"""Games of two players: Elo difference, its error, and the likelihood of superiority.

Results are counts of the first player's scores, worst first. Three counts are single games: lost, drawn, won
(trinomial). Five are pairs of games that share an opening, each player once from either side, by their sum: 0, 1/2, 1,
3/2, 2 (pentanomial). An opening that favours one side spoils single games and cancels in pairs, so that pairs give the
smaller and the honest error.

Two scales of Elo (M. Van den Bergh, "Comments on Normalized Elo", cantate.be/Fishtest/normalized_elo_practical.pdf):

* logistic: the difference at which Elo's formula expects this score, 1 / (1 + 10^(-elo / 400));
* normalised: the score's distance from 1/2 in standard deviations of one game, times 800 / ln 10. It says how many
  games it takes to see the difference, whatever the share of draws. Without draws and for small differences both agree.

The figures are those that fastchess and fishtest print.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.intervals import NORMAL_95

Floats = NDArray[np.floating[Any]]

NORMALISED = 800 / math.log(10)
"""Points of normalised Elo of one standard deviation of a game."""
FAR = 1e-6
"""Least distance of a score from 0 or 1 when converted to Elo: 2400 points."""


def score_to_elo(score: float) -> float:
    """Return the logistic Elo of a score from 0 to 1, between -2400 and 2400."""
    score = min(max(score, FAR), 1 - FAR)
    return 400 * math.log10(score / (1 - score))


def elo_to_score(elo: float) -> float:
    """Return the expected score of a logistic Elo difference, 0 to 1."""
    return 1 / (1 + 10 ** (-elo / 400))


@dataclass(frozen=True)
class HeadToHead:
    """Estimates of the first player's strength relative to the second's."""

    score: float
    """Points a game, 0 to 1."""
    elo: float
    error: float
    """Half-width of the 95 % interval of `elo`."""
    normalised_elo: float
    normalised_error: float
    """Half-width of the 95 % interval of `normalised_elo`."""
    superiority: float
    """Likelihood that the first player is the stronger one, by a normal approximation."""


def compare(counts: Sequence[float] | Floats) -> HeadToHead:
    """Estimate from trinomial [3] or pentanomial [5] counts.

    If all results are equal, their spread is unknown: errors are 0, the superiority is 0, 1/2 or 1, and the normalised
    difference is infinite or 0. Without results both players count as equal.
    """
    counts = np.asarray(counts, float)
    results = counts.sum()
    if not results:
        return HeadToHead(0.5, 0.0, 0.0, 0.0, 0.0, 0.5)
    scores = np.linspace(0, 1, len(counts))
    score = float(counts @ scores / results)
    variance = float(counts @ (scores - score) ** 2 / results)
    half = NORMAL_95 * math.sqrt(variance / results)
    per_game = math.sqrt(variance * (1 if len(counts) == 3 else 2))  # standard deviation
    error = (score_to_elo(score + half) - score_to_elo(score - half)) / 2
    if variance == 0:
        far = 0.0 if score == 0.5 else math.copysign(math.inf, score - 0.5)
        return HeadToHead(score, score_to_elo(score), 0.0, far, 0.0, 0.5 + float(np.sign(score - 0.5)) / 2)
    z = (score - 0.5) / math.sqrt(variance / results)
    return HeadToHead(
        score,
        score_to_elo(score),
        error,
        (score - 0.5) / per_game * NORMALISED,
        half / per_game * NORMALISED,
        0.5 * (1 + math.erf(z / math.sqrt(2))),
    )
