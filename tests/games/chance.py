"""What tests of games with chance share."""

import numpy as np
from numpy.typing import NDArray

ONE_IN_A_MILLION = 4.9
"""Standard deviations that a normal quantity exceeds once in a million times, above or below."""


def chi_square_excess(counts: NDArray[np.int64], probabilities: NDArray[np.float64]) -> float:
    """Return how many standard deviations the chi-square statistic of `counts` lies above its mean, about normal.

    By Wilson and Hilferty: the cube root of a chi-square over its degrees of freedom is nearly normal.
    """
    possible = probabilities > 0
    assert not counts[~possible].any(), "what is impossible has happened"
    expected = probabilities[possible] * counts.sum()
    freedom = possible.sum() - 1
    statistic = ((counts[possible] - expected) ** 2 / expected).sum()
    spread = 2 / (9 * freedom)
    return float(((statistic / freedom) ** (1 / 3) - (1 - spread)) / spread**0.5)
