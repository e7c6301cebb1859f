"""How much of the results is cyclic, as in rock-paper-scissors, and no rating can tell.

Log-odds of the scores are a flow on the graph of who met whom. Hodge's decomposition splits it into a part that is a
difference of ratings and an orthogonal rest that runs in circles (X. Jiang, L.-H. Lim, Y. Yao and Y. Ye, "Statistical
ranking and combinatorial Hodge theory", arXiv 0811.1067; D. Balduzzi et al., "Re-evaluating evaluation", NeurIPS 2018,
arXiv 1806.02643, section 2).

Shapes: N players. `points` [N, N] is what the row's player scored against the column's (a win 1, a draw 0.5).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

HALF = 0.5
"""Points that both sides of a pair are given in addition, so that log-odds are finite."""


def log_odds(points: Floats) -> Floats:
    """Log-odds of the row's score against the column's [N, N], antisymmetric; 0 where two never met."""
    return np.log((points + HALF) / (points.T + HALF))


def cyclic_share(points: Floats) -> float:
    """Share of the results' energy, 0 to 1, that runs in circles, less what chance alone would leave there.

    Energy is the sum of squared log-odds over all pairs, in units of their variance: chance alone leaves 1 for each
    pair in excess of the ratings, of which there are N - 1 where everybody is connected.
    """
    met = np.argwhere(np.triu(points + points.T > 0, k=1))
    if not len(met):
        return 0.0
    first, second = met.T
    games = points[first, second] + points[second, first] + 2 * HALF
    score = (points[first, second] + HALF) / games
    deviations = np.sqrt(games * score * (1 - score))  # one over the standard deviation of the log-odds
    flow = deviations * log_odds(points)[first, second]
    gradient = np.zeros((len(met), len(points)))
    gradient[np.arange(len(met)), first], gradient[np.arange(len(met)), second] = deviations, -deviations
    values, vectors = np.linalg.eigh(gradient.T @ gradient)  # weighted Laplacian; 0 for each group of the connected
    solid = values > 1e-9 * values[-1]
    ratings = vectors[:, solid] @ (vectors[:, solid].T @ (gradient.T @ flow) / values[solid])
    around = ((flow - gradient @ ratings) ** 2).sum() - (len(met) - solid.sum())
    return float(np.clip(around / max((flow**2).sum(), 1e-12), 0.0, 1.0))
