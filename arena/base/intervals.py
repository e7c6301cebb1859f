"""Intervals of means."""

import math

NORMAL_95 = 1.959964
"""Half-width of the central 95 % of a standard normal distribution."""


def mean_error(count: int, total: float, squares: float) -> float:
    """Return the half-width of the 95 % interval of the mean of `count` values, from their sum and sum of squares."""
    count = max(count, 1)
    return NORMAL_95 * math.sqrt(max(squares / count - (total / count) ** 2, 0.0) / count)
