"""Simultaneous perturbation stochastic approximation (SPSA): a climb by games between two neighbours of an estimate.

Spall, "Implementation of the Simultaneous Perturbation Algorithm for Stochastic Optimization" (IEEE Transactions on
Aerospace and Electronic Systems 34, 1998), in the form that chess programs are tuned by (Kiiski 2011; fishtest). In
iteration k = 1..N all d parameters are moved at once, by a vector Delta of random signs, and the two points play:

    y_k         = mean over pairs of games of (wins - losses) of theta + c_k Delta against theta - c_k Delta
    theta_k+1   = theta_k + a_k y_k / (c_k Delta)
                = theta_k + R_k c_k y_k Delta             with R_k = a_k / c_k^2, and 1 / Delta = Delta
    c_k         = c / k^gamma                             gamma = 0.101
    a_k         = a / (A + k)^alpha                       alpha = 0.602, A = N / 10

Spall's equations (2), (3) and section III with y for the difference of his two measurements. The constants are given by
what they are in the last iteration: c = c_end N^gamma and a = r_end c_end^2 (A + N)^alpha, so that c_N = c_end, which
every parameter has of its own (its `step`), and R_N = r_end (the `rate`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError

ALPHA, GAMMA, STABILITY = 0.602, 0.101, 0.1
"""alpha, gamma and A / N."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TunedParameter:
    """A parameter that is tuned."""

    name: str
    start: float
    low: float
    high: float
    step: float
    """c_end: how far the two points of the last iteration are from the estimate."""
    whole: bool = False

    def __post_init__(self) -> None:
        if not self.low <= self.start <= self.high:
            raise UsageError(f"{self.name}: start={self.start:g} is not from {self.low:g} to {self.high:g}")
        least = "at least 0.5, as a whole number has it," if self.whole else "above 0"
        if not (0.5 if self.whole else math.ulp(1.0)) <= self.step <= self.high - self.low:
            raise UsageError(f"{self.name}: step={self.step:g} is not {least} and at most {self.high - self.low:g}")

    def text(self, value: float) -> str:
        """Return a value as it stands in the spec of an agent: a whole number, or a thousandth of the step exact."""
        if self.whole:
            return str(math.floor(value + 0.5))
        digits = max(0, 3 - math.floor(math.log10(self.step)))
        return f"{round(value, digits):.{digits}f}".rstrip("0").rstrip(".") if digits else f"{value:.0f}"


@dataclass(frozen=True)
class Gains:
    """Distances that iterations probe, and rates at which the estimate follows; all N are planned beforehand."""

    iterations: int
    """N"""
    rate: float
    """r_end"""

    def probe(self, k: int) -> float:
        """Return c_k / c_end."""
        return float((self.iterations / k) ** GAMMA)

    def follow(self, k: int) -> float:
        """Return R_k = a_k / c_k^2."""
        stability = STABILITY * self.iterations
        decay = ((stability + self.iterations) / (stability + k)) ** ALPHA
        return float(self.rate * decay / self.probe(k) ** 2)


@dataclass(frozen=True)
class Probe:
    """The two points of an iteration."""

    signs: Floats
    """Delta, [d]."""
    plus: Floats
    minus: Floats
    """The values that play, [d]: within bounds, and whole where the parameter is."""

    @property
    def differ(self) -> bool:
        """Return whether the points are two: at a bound, whole numbers may be the same."""
        return not np.array_equal(self.plus, self.minus)


def probe(parameters: Sequence[TunedParameter], theta: Floats, gains: Gains, k: int, rng: np.random.Generator) -> Probe:
    """Return the points of iteration `k` around the estimate [d].

    A whole number is rounded up with the probability of its fraction, by the same draw at both points: on average they
    are as far apart as they should be, and they are never the same within the bounds.
    """
    signs, draws = rng.choice([-1.0, 1.0], len(theta)), rng.random(len(theta))
    reach = gains.probe(k) * np.array([parameter.step for parameter in parameters]) * signs
    plus, minus = (_rounded(parameters, bounded(parameters, point), draws) for point in (theta + reach, theta - reach))
    return Probe(signs, plus, minus)


def follow(
    parameters: Sequence[TunedParameter], theta: Floats, gains: Gains, k: int, signs: Floats, result: float
) -> Floats:
    """Return the estimate [d] after iteration `k`, in which the points of these signs brought `result`, y_k."""
    steps = np.array([parameter.step for parameter in parameters])
    return bounded(parameters, theta + gains.follow(k) * gains.probe(k) * steps * result * signs)


def bounded(parameters: Sequence[TunedParameter], theta: Floats) -> Floats:
    """Return the point [d] within the bounds that is next to one."""
    low, high = ([getattr(parameter, end) for parameter in parameters] for end in ("low", "high"))
    return np.clip(theta, low, high)


def _rounded(parameters: Sequence[TunedParameter], point: Floats, draws: Floats) -> Floats:
    whole = np.array([parameter.whole for parameter in parameters])
    return np.where(whole, bounded(parameters, np.floor(point + draws)), point)


def settled(path: Floats) -> tuple[Floats, Floats]:
    """Return an estimate [d] and its spread [d] from the estimates after all iterations so far, [k, d].

    The mean of the later half of them (Polyak and Juditsky 1992), and how far they wander about it: their standard
    deviation.
    """
    later = path[len(path) // 2 :]
    return later.mean(axis=0), later.std(axis=0)
