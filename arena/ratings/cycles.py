"""The cyclic share of results, as in rock-paper-scissors, which no rating can express.

Log-odds of the scores are a flow on the graph of who met whom. Hodge's decomposition splits it into a part that is a
difference of ratings and an orthogonal rest that runs in circles (X. Jiang, L.-H. Lim, Y. Yao and Y. Ye, "Statistical
ranking and combinatorial Hodge theory", arXiv 0811.1067; D. Balduzzi et al., "Re-evaluating evaluation", NeurIPS 2018,
arXiv 1806.02643, section 2).

Shapes: N players. `points` [N, N] is the score of row against column (a win 1, a draw 0.5).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

HALF = 0.5
"""Points added to both sides of a pair, to keep log-odds finite."""


def log_odds(points: Floats) -> Floats:
    """Return the log-odds of row against column [N, N], antisymmetric; 0 for pairs that never met."""
    return np.log((points + HALF) / (points.T + HALF))


def cyclic_share(points: Floats) -> float:
    """Return the cyclic share of the results' energy, 0 to 1, less the expected share of chance.

    Energy is the sum of squared log-odds over all pairs, in units of their variance. Chance alone contributes 1 for
    each pair beyond the degrees of freedom of the ratings: N - 1 if all players are connected.
    """
    met = np.argwhere(np.triu(points + points.T > 0, k=1))
    if not len(met):
        return 0.0
    first, second = met.T
    games = points[first, second] + points[second, first] + 2 * HALF
    score = (points[first, second] + HALF) / games
    deviations = np.sqrt(games * score * (1 - score))  # one over the standard deviation of the log-odds
    flow = deviations * log_odds(points)[first, second]
    size = len(points)
    laplacian = np.zeros((size, size))  # weighted by the precision of the log-odds
    np.add.at(laplacian, (first, second), -(deviations**2))
    laplacian += laplacian.T
    np.fill_diagonal(laplacian, -laplacian.sum(axis=1))
    pull = np.bincount(first, deviations * flow, size) - np.bincount(second, deviations * flow, size)
    values, vectors = np.linalg.eigh(laplacian)  # 0 for each group of the connected
    solid = values > 1e-9 * values[-1]
    ratings = vectors[:, solid] @ (vectors[:, solid].T @ pull / values[solid])
    rest = flow - deviations * (ratings[first] - ratings[second])
    around = (rest**2).sum() - (len(met) - solid.sum())
    return float(np.clip(around / max((flow**2).sum(), 1e-12), 0.0, 1.0))
