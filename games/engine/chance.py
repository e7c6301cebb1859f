"""Random numbers inside a record, for games of chance, and drawing from probabilities.

A game that draws, for chance or for a sample of what is hidden, has `RANDOM_FIELD` in its record. The stream is
splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): its whole state is one number.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.jit import njit

RANDOM_FIELD = ("random", np.uint64)
"""Field of a record: the state of its random stream."""
GAMMA = np.uint64(0x9E3779B97F4A7C15)
"""Step of a stream for each number."""


def has_stream(dtype: np.dtype[Any]) -> bool:
    """Return whether records of this `dtype` have a random stream."""
    name, kind = RANDOM_FIELD
    return name in (dtype.names or ()) and dtype[name] == kind


@njit(cache=True, nogil=True)
def mix(z: Any) -> Any:
    """Return 64 well-mixed bits of a counter."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit
def reseed(state: Any, seed: int) -> None:
    """Restart the record's random stream from `seed`."""
    state.random = mix(np.uint64(seed) + GAMMA)


@njit
def draw_bits(state: Any) -> Any:
    """Return the next 64 random bits of the record's stream."""
    state.random += GAMMA
    return mix(state.random)


@njit
def draw(state: Any) -> float:
    """Return the next number from 0 to 1 (excluded) of the record's stream."""
    return np.float64(draw_bits(state) >> np.uint64(11)) * 2.0**-53


@njit
def draw_below(state: Any, count: int) -> int:
    """Draw a whole number from 0 to `count` (excluded), uniformly."""
    return below(draw_bits(state), count)


@njit
def below(bits: Any, count: int) -> Any:
    """Return a uniform whole number from 0 to `count` (excluded, at most 2**32), made of 64 random bits."""
    return np.int64((bits >> np.uint64(32)) * np.uint64(count) >> np.uint64(32))


@njit
def pick(probabilities: NDArray[Any], uniform: float) -> int:
    """Return the outcome that a uniform number from 0 to 1 selects."""
    last = 0
    for outcome in range(probabilities.shape[0]):
        if probabilities[outcome] > 0:
            last = outcome
            uniform -= probabilities[outcome]
            if uniform < 0:
                break
    return last  # rounding may leave a little of `uniform`: then it is the last one that is possible
