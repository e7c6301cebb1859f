"""Random numbers inside a record, for games of chance, and drawing from probabilities.

A game of chance has `RANDOM_FIELD` in its record and imports `draw` and `reseed` from here. Its stream is splitmix64
(Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): its whole state is one number.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

RANDOM_FIELD = ("random", np.uint64)
GAMMA = np.uint64(0x9E3779B97F4A7C15)
"""How far a stream moves on with each number."""


@njit
def mix(z: Any) -> Any:
    """64 well-mixed bits from a counter."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit
def reseed(state: Any, seed: int) -> None:
    """Begin the record's random stream anew."""
    state.random = mix(np.uint64(seed) + GAMMA)


@njit
def draw_bits(state: Any) -> Any:
    """Give the next 64 random bits of the record's stream."""
    state.random += GAMMA
    return mix(state.random)


@njit
def draw(state: Any) -> float:
    """Give the next number from 0 to 1 (excluded) of the record's stream."""
    return np.float64(draw_bits(state) >> np.uint64(11)) * 2.0**-53


@njit
def draw_below(state: Any, count: int) -> int:
    """Give a whole number from 0 to `count` (excluded), each as likely as the others."""
    return below(draw_bits(state), count)


@njit
def below(bits: Any, count: int) -> Any:
    """A whole number from 0 to `count` (excluded, at most 2**32) by 64 random bits, each as likely as the others."""
    return np.int64((bits >> np.uint64(32)) * np.uint64(count) >> np.uint64(32))


@njit
def pick(probabilities: NDArray[Any], uniform: float) -> int:
    """Give the outcome that a uniform number from 0 to 1 stands for."""
    last = 0
    for outcome in range(probabilities.shape[0]):
        if probabilities[outcome] > 0:
            last = outcome
            uniform -= probabilities[outcome]
            if uniform < 0:
                break
    return last  # rounding may leave a little of `uniform`: then it is the last one that is possible
