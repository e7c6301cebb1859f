"""Glicko-2: ratings with a deviation and a volatility, updated period by period or game by game.

M. Glickman, "Example of the Glicko-2 system" (glicko.net/glicko/glicko2.pdf, 2013; steps 2 to 8). A period may be a
fraction of the one that the volatility is meant for: the deviation then grows by that fraction, as Lichess does it, so
that ratings can be updated after every game.

All kernels are on the internal scale: mu is (rating - 1500) / 173.7178, phi the deviation / 173.7178.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from arena.base.jit import njit

SCALE = 173.7178
"""Rating points of a unit of mu."""
START, UNKNOWN, VOLATILITY = 1500.0, 350.0, 0.06
"""Rating, deviation and volatility of newcomers."""
TAU = 0.5
"""Constraint on the change of volatilities; 0.3 to 1.2 is reasonable."""
CLOSE = 1e-6
"""Tolerance of the logarithm of a squared volatility."""


@dataclass(frozen=True)
class Glicko2Rating:
    """Glicko-2's rating, deviation and volatility of a player."""

    rating: float = START
    deviation: float = UNKNOWN
    """Standard deviation of the rating."""
    volatility: float = VOLATILITY


def rate_period(
    player: Glicko2Rating,
    opponents: Sequence[Glicko2Rating],
    scores: Sequence[float],
    elapsed: float = 1.0,
    tau: float = TAU,
    weight: float = 1.0,
) -> Glicko2Rating:
    """Return the rating after a period with scores of 0, 0.5 or 1 against `opponents`, rated before the period.

    `elapsed` is the length of the period, in those of the volatility. Without games only the deviation grows. Each game
    counts as `weight` independent ones.
    """
    mu, phi = (player.rating - START) / SCALE, player.deviation / SCALE
    precision = surplus = 0.0
    for opponent, score in zip(opponents, scores, strict=True):
        more, better = evidence(mu, (opponent.rating - START) / SCALE, opponent.deviation / SCALE, score)
        precision, surplus = precision + more, surplus + better
    mu, phi, volatility = close_period(mu, phi, player.volatility, weight * precision, weight * surplus, elapsed, tau)
    return Glicko2Rating(START + SCALE * mu, SCALE * phi, volatility)


@njit(cache=True)
def evidence(mu: float, other_mu: float, other_phi: float, score: float) -> tuple[float, float]:
    """Return the terms of one game in 1 / v (step 3) and in the sum of step 4."""
    weight = 1 / math.sqrt(1 + 3 * (other_phi / math.pi) ** 2)
    expected = 1 / (1 + math.exp(-weight * (mu - other_mu)))
    return weight**2 * expected * (1 - expected), weight * (score - expected)


@njit(cache=True)
def close_period(
    mu: float, phi: float, volatility: float, precision: float, surplus: float, elapsed: float, tau: float
) -> tuple[float, float, float]:
    """Return the new mu, phi and volatility (steps 5 to 8) from the sums of all evidence."""
    if precision > 0:
        volatility = new_volatility(phi, volatility, 1 / precision, surplus / precision, tau)
    waited = phi**2 + elapsed * volatility**2
    variance = 1 / (1 / waited + precision)
    return mu + variance * surplus, math.sqrt(variance), volatility


@njit(cache=True)
def new_volatility(phi: float, volatility: float, v: float, delta: float, tau: float) -> float:
    """Return the new volatility (step 5): the root of f by the Illinois method."""
    start = math.log(volatility**2)
    low = start
    if delta**2 > phi**2 + v:
        high = math.log(delta**2 - phi**2 - v)
    else:
        high = start - tau
        while slope(high, phi, v, delta, start, tau) < 0:
            high -= tau
    at_low, at_high = slope(low, phi, v, delta, start, tau), slope(high, phi, v, delta, start, tau)
    while abs(high - low) > CLOSE:
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = slope(middle, phi, v, delta, start, tau)
        if at_middle * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2  # the end that stays counts half, or regula falsi would creep towards the root from one side
        high, at_high = middle, at_middle
    return math.exp(low / 2)


@njit(cache=True)
def slope(x: float, phi: float, v: float, delta: float, start: float, tau: float) -> float:
    """Return f(x) of step 5; x is the logarithm of a squared volatility."""
    variance = phi**2 + v + math.exp(x)
    return math.exp(x) * (delta**2 - variance) / (2 * variance**2) - (x - start) / tau**2
