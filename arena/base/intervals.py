"""Intervals of means."""

import math

NORMAL_95 = 1.959964
"""Half-width of the central 95 % of a standard normal distribution."""


def mean_error(count: int, total: float, squares: float) -> float:
    """Return the half-width of the 95 % interval of the mean of `count` values, from their sum and sum of squares."""
    count = max(count, 1)
    return NORMAL_95 * math.sqrt(max(squares / count - (total / count) ** 2, 0.0) / count)


def wilson(successes: float, trials: int, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's confidence interval of a share (1927, "Probable inference"), by default of 95 %.

    Draws may count as half a success: their spread is smaller than that of wins and losses, and the interval too wide.
    """
    share, square = successes / trials, z * z / trials
    middle = (share + square / 2) / (1 + square)
    width = z / (1 + square) * math.sqrt(share * (1 - share) / trials + square / (4 * trials))
    return min(middle - width, share), max(middle + width, share)  # rounding must not exclude the share itself
