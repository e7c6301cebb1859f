"""Glicko-2: ratings with a deviation and a volatility, updated period by period or game by game.

M. Glickman, "Example of the Glicko-2 system" (glicko.net/glicko/glicko2.pdf, 2013; steps 2 to 8). A period may be a
fraction of the one that the volatility is meant for: the deviation then grows by that fraction, as Lichess does it, so
that a rating can move with every game.

All kernels are on the internal scale: mu is (rating - 1500) / 173.7178, phi the deviation / 173.7178.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from numba import njit

SCALE = 173.7178
"""Rating points of a unit of mu."""
START, UNKNOWN, VOLATILITY = 1500.0, 350.0, 0.06
"""Rating, deviation and volatility of newcomers."""
TAU = 0.5
"""How fast volatilities may change: 0.3 to 1.2."""
CLOSE = 1e-6
"""To what accuracy the logarithm of a squared volatility is found."""


@dataclass(frozen=True)
class Rating:
    """What Glicko-2 knows of a player."""

    rating: float = START
    deviation: float = UNKNOWN
    """Standard deviation of the rating."""
    volatility: float = VOLATILITY


def rate_period(
    player: Rating,
    opponents: Sequence[Rating],
    scores: Sequence[float],
    elapsed: float = 1.0,
    tau: float = TAU,
    weight: float = 1.0,
) -> Rating:
    """The rating after a period in which `player` scored 0, 0.5 or 1 against each of `opponents` (as they were before).

    `elapsed` is the length of the period, 1 that for which the volatility is meant. No games only widen the deviation.
    `weight` is how many independent games each of these counts for.
    """
    mu, phi = (player.rating - START) / SCALE, player.deviation / SCALE
    precision = surplus = 0.0
    for opponent, score in zip(opponents, scores, strict=True):
        more, better = evidence(mu, (opponent.rating - START) / SCALE, opponent.deviation / SCALE, score)
        precision, surplus = precision + more, surplus + better
    mu, phi, volatility = close_period(mu, phi, player.volatility, weight * precision, weight * surplus, elapsed, tau)
    return Rating(START + SCALE * mu, SCALE * phi, volatility)


@njit(cache=True)
def evidence(mu: float, other_mu: float, other_phi: float, score: float) -> tuple[float, float]:
    """What a game says: its part of 1 / v (step 3), and of the sum in step 4."""
    weight = 1 / math.sqrt(1 + 3 * (other_phi / math.pi) ** 2)
    expected = 1 / (1 + math.exp(-weight * (mu - other_mu)))
    return weight**2 * expected * (1 - expected), weight * (score - expected)


@njit(cache=True)
def close_period(
    mu: float, phi: float, volatility: float, precision: float, surplus: float, elapsed: float, tau: float
) -> tuple[float, float, float]:
    """New mu, phi and volatility (steps 5 to 8) from the sums of all evidence."""
    if precision > 0:
        volatility = new_volatility(phi, volatility, 1 / precision, surplus / precision, tau)
    waited = phi**2 + elapsed * volatility**2
    variance = 1 / (1 / waited + precision)
    return mu + variance * surplus, math.sqrt(variance), volatility


@njit(cache=True)
def new_volatility(phi: float, volatility: float, v: float, delta: float, tau: float) -> float:
    """Step 5: the root of f by the Illinois method."""
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
            at_low /= 2
        high, at_high = middle, at_middle
    return math.exp(low / 2)


@njit(cache=True)
def slope(x: float, phi: float, v: float, delta: float, start: float, tau: float) -> float:
    """F of step 5, for x the logarithm of a squared volatility."""
    variance = phi**2 + v + math.exp(x)
    return math.exp(x) * (delta**2 - variance) / (2 * variance**2) - (x - start) / tau**2
