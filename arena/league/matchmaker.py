"""Whom a learner meets: the published rules as functions from what is known to a distribution.

Everywhere N opponents stand in the order in which they came, and a distribution is an array [N] that sums to 1.

PFSP, prioritised fictitious self-play, prefers opponents by the learner's score x against them (O. Vinyals et al.,
"Grandmaster level in StarCraft II using multi-agent reinforcement learning", Nature 575, 2019, methods, and the
pseudocode of its supplement).
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Weighting = Literal["squared", "variance", "linear", "capped"]

LEAST = 1e-10
"""Weights that sum to less are none at all."""


def uniform(count: int) -> Floats:
    """Each with the same chance: the past in OpenAI Five's 80 % latest, 20 % past (arXiv 1912.06680, section 3.2)."""
    return np.full(count, 1 / max(count, 1))


def window(count: int, size: int) -> Floats:
    """The newest `size`, each with the same chance, as in ML-Agents."""
    shares = np.zeros(count)
    shares[-size:] = 1 / max(min(size, count), 1)
    return shares


def pfsp(scores: Floats, weighting: Weighting) -> Floats:
    """In proportion to a weight of the learner's scores x [N], 0 to 1, against them; alike where all weights are 0.

    squared (1 - x)^2: the hardest. variance x (1 - x): those of about its own strength. linear 1 - x: the harder the
    more. capped min(1/2, 1 - x): those that beat it alike.
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


def by_rating(own: float, ratings: Floats) -> Floats:
    """PFSP's x (1 - x) for the scores x that Elo expects of `own` against `ratings` [N]: its equals."""
    return pfsp(1 / (1 + 10 ** ((np.asarray(ratings, float) - own) / 400)), "variance")


def not_forgotten(scores: Floats) -> int:
    """How many of the newest snapshots of a player are of no concern to who looks for those that it has forgotten.

    Scores [N] against one's own past should grow towards the weak beginnings. AlphaStar leaves out the newest that are
    in that order, and looks among the rest; all of them where nothing is out of order.
    """
    for last in range(len(scores) - 1, 0, -1):
        if scores[last - 1] < scores[last]:
            return len(scores) - 1 - last
    return len(scores)


def draw(shares: Floats, places: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], Floats]:
    """At most `places` different opponents, and with what shares they are met, so that on average all is as `shares`.

    If there are places for all that have a share, they get it. Else shares of 1 / `places` are handed out: drawn
    without replacement where all opponents are alike, and by systematic sampling where not, which gives everybody its
    share to less than one place. Returns indices in ascending order and shares that sum to 1; nothing for no shares.
    """
    meant = np.flatnonzero(shares)
    if len(meant) <= places:
        return meant, shares[meant]
    if np.ptp(shares[meant]) < LEAST:
        chosen = np.sort(meant[rng.choice(len(meant), places, replace=False)])
        return chosen, uniform(places)
    ends = np.cumsum(shares[meant]) / shares[meant].sum()
    hits = np.minimum(np.searchsorted(ends, (rng.random() + np.arange(places)) / places, side="right"), len(meant) - 1)
    found, counts = np.unique(hits, return_counts=True)
    return meant[found], counts / places
