"""Matchmaking rules from the literature, as functions that return a distribution over opponents.

N opponents are in the order in which they joined; a distribution is an array [N] that sums to 1.

PFSP, prioritised fictitious self-play, prefers opponents by the learner's score x against them (O. Vinyals et al.,
"Grandmaster level in StarCraft II using multi-agent reinforcement learning", Nature 575, 2019, methods, and the
pseudocode of its supplement).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.training.league.config import Weighting

Floats = NDArray[np.floating[Any]]

LEAST = 1e-10
"""Weights whose sum is below this count as zero."""


def uniform(count: int) -> Floats:
    """Return equal shares, as for OpenAI Five's 20 % of games against past versions (arXiv 1912.06680, section 3.2)."""
    return np.full(count, 1 / max(count, 1))


def window(count: int, size: int) -> Floats:
    """Return equal shares for the newest `size` opponents, as in ML-Agents."""
    shares = np.zeros(count)
    shares[-size:] = 1 / max(min(size, count), 1)
    return shares


def pfsp(scores: Floats, weighting: Weighting) -> Floats:
    """Return shares in proportion to a weight of the learner's scores x [N] against the opponents, 0 to 1.

    squared (1 - x)^2 prefers the hardest opponents, variance x (1 - x) those of equal strength, linear 1 - x harder
    ones in proportion, capped min(1/2, 1 - x) treats all that beat the learner alike. If all weights are 0 the shares
    are equal.
    """
    x = np.asarray(scores, float)
    weights = {
        "squared": (1 - x) ** 2,
        "variance": x * (1 - x),
        "linear": 1 - x,
        "capped": np.minimum(0.5, 1 - x),
    }[weighting]
    total = weights.sum()
    return uniform(len(x)) if total < LEAST else weights / total


def by_rating(rating: float, ratings: Floats) -> Floats:
    """Return shares that prefer equals: PFSP's x (1 - x) for the scores x that Elo predicts against `ratings` [N]."""
    return pfsp(1 / (1 + 10 ** ((np.asarray(ratings, float) - rating) / 400)), "variance")


def not_forgotten(scores: Floats) -> int:
    """Return the number of newest snapshots that cannot count as forgotten, from scores [N] against one's own past.

    Scores should rise from the newest snapshot to the oldest, which is the weakest. AlphaStar leaves out the newest
    snapshots whose scores are in that order, and looks for forgotten ones among the rest. If all scores are in order,
    all N are left out.
    """
    for last in range(len(scores) - 1, 0, -1):
        if scores[last - 1] < scores[last]:
            return len(scores) - 1 - last
    return len(scores)


def draw(shares: Floats, places: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], Floats]:
    """Draw at most `places` different opponents whose expected shares are `shares` [N].

    Returns their indices in ascending order and their shares, which sum to 1 (both empty if all shares are 0). If there
    are enough places, everybody keeps its share. Otherwise each place is a share of 1 / `places`: opponents with equal
    shares are drawn without replacement, others by systematic sampling, which gives each of them its share to within
    one place.
    """
    candidates = np.flatnonzero(shares)
    if len(candidates) <= places:
        return candidates, shares[candidates]
    if np.ptp(shares[candidates]) < LEAST:
        chosen = np.sort(candidates[rng.choice(len(candidates), places, replace=False)])
        return chosen, uniform(places)
    ends = np.cumsum(shares[candidates]) / shares[candidates].sum()
    # One random number for all points: a share between k and k + 1 places gets k or k + 1 of them.
    points = (rng.random() + np.arange(places)) / places
    hits = np.minimum(np.searchsorted(ends, points, side="right"), len(candidates) - 1)
    chosen, counts = np.unique(hits, return_counts=True)
    return candidates[chosen], counts / places
