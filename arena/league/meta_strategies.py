"""Meta-strategies: how often the members of a league would be played if the league itself were the game.

The empirical game has the members as actions and scores as payoffs, for either side the same. PSRO trains the next
member against such a mixture (M. Lanctot et al., "A Unified Game-Theoretic Approach to Multiagent Reinforcement
Learning", 2017, arXiv 1711.00832).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.league.config import MetaStrategy
from arena.ratings.alpha_rank import alpha_rank
from arena.ratings.games import meetings
from arena.ratings.nash import nash_average
from arena.ratings.replicator import projected_replicator

Floats = NDArray[np.floating[Any]]


def scores_of(points: Floats) -> Floats:
    """Scores [N, N], 0 to 1, of the row's player against the column's, from its points [N, N]; 0.5 for strangers."""
    games = meetings(points)
    scores: Floats = np.divide(points, games, out=np.full(points.shape, 0.5), where=games > 0)
    np.fill_diagonal(scores, 0.5)
    return scores


def meta_strategy(scores: Floats, solver: MetaStrategy) -> Floats:
    """Shares [N] of the members in the mixture, from their scores [N, N] against each other.

    nash: the equilibrium of the largest entropy; alpha-rank: shares of time in evolution; prd: projected replicator
    dynamics, whose mixture keeps a little of everybody.
    """
    if len(scores) == 1:
        return np.ones(1)
    if solver == "nash":
        return nash_average(2 * scores - 1)[0]
    if solver == "alpha-rank":
        return alpha_rank(scores)
    return projected_replicator(np.stack([scores, scores.T]))[0]
