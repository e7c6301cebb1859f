"""Meta-strategies: mixtures of the members of a league, from the scores between them.

They solve the empirical game, a symmetric game whose actions are the members and whose payoffs are their scores. PSRO
trains the next member against such a mixture (M. Lanctot et al., "A Unified Game-Theoretic Approach to Multiagent
Reinforcement Learning", 2017, arXiv 1711.00832).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.ratings.alpha_rank import alpha_rank
from arena.ratings.games import meetings
from arena.ratings.nash import nash_average
from arena.ratings.replicator import projected_replicator
from arena.training.league.config import MetaStrategy

Floats = NDArray[np.floating[Any]]


def scores_of(points: Floats) -> Floats:
    """Return scores [N, N], 0 to 1, of the row's player against the column's from points [N, N]; 0.5 without games."""
    games = meetings(points)
    scores: Floats = np.divide(points, games, out=np.full(points.shape, 0.5), where=games > 0)
    np.fill_diagonal(scores, 0.5)
    return scores


def meta_strategy(scores: Floats, solver: MetaStrategy) -> Floats:
    """Return the shares [N] of the members in the mixture, from their scores [N, N] against each other.

    nash: the Nash equilibrium of the largest entropy; alpha-rank: the stationary distribution of alpha-rank; prd:
    projected replicator dynamics, which gives every member a minimal share.
    """
    if len(scores) == 1:
        return np.ones(1)
    if solver == "nash":
        return nash_average(2 * scores - 1)[0]
    if solver == "alpha-rank":
        return alpha_rank(scores)
    return projected_replicator(np.stack([scores, scores.T]))[0]
