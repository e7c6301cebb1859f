"""Running statistics: of the latest numbers, and of all arrays of a stream."""

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.base.checks import require_at_least
from arena.base.errors import UsageError
from arena.data.rows import as_array


def finite(figures: Mapping[str, float]) -> dict[str, float]:
    """Return the figures that are numbers: NaN and infinities are left out, which files of JSON do not hold."""
    return {name: value for name, value in figures.items() if np.isfinite(value)}


class MovAvg:
    """Mean and standard deviation of the last `size` numbers; infinities and NaN are ignored.

    >>> stat = MovAvg(size=66)
    >>> stat.add(5)
    5.0
    >>> stat.add(float("inf"))
    5.0
    >>> stat.add([6, 7, 8])
    6.5
    >>> f"{stat.mean():.2f}±{stat.std():.2f}"
    '6.50±1.12'
    """

    def __init__(self, size: int = 100):
        require_at_least(1, size=size)
        self.size = size
        self._numbers: deque[float] = deque(maxlen=size)

    def add(self, x: Any) -> float:
        """Add a number, or all of a list, an array or a tensor; return the mean."""
        numbers = np.asarray(as_array(x), np.float64).reshape(-1)
        self._numbers.extend(numbers[np.isfinite(numbers)].tolist())
        return self.get()

    def get(self) -> float:
        """Return the mean; 0 before the first number."""
        return float(np.mean(self._numbers)) if self._numbers else 0.0

    def mean(self) -> float:
        """Return the mean, as `get` does."""
        return self.get()

    def std(self) -> float:
        """Return the population standard deviation; 0 before the first number."""
        return float(np.std(self._numbers)) if self._numbers else 0.0


class RunningMeanStd:
    """Mean and variance of all arrays of a stream, each entry of an array by itself.

    Batches are merged by the parallel algorithm of Chan, Golub and LeVeque (1979), which stays exact for numbers that
    are large beside their spread. What it starts with counts for nothing: the first batch replaces it.

    Args:
        mean: the mean before the first batch.
        std: the standard deviation before the first batch.

    """

    def __init__(self, mean: ArrayLike = 0.0, std: ArrayLike = 1.0):
        self.mean: NDArray[np.float64] = np.asarray(mean, np.float64)
        self.var: NDArray[np.float64] = np.asarray(std, np.float64) ** 2
        self.count = 0

    def update(self, x: ArrayLike) -> None:
        """Add a batch [n, ...]; an empty one changes nothing. `UsageError` for a shape unlike the ones before."""
        batch = np.asarray(x, np.float64)
        if batch.ndim == 0:
            raise UsageError("a batch has rows: x is an array [n, ...], not one number")
        if self.count and batch.shape[1:] != self.mean.shape:
            raise UsageError(f"x has rows of shape {batch.shape[1:]}, not {self.mean.shape} as before")
        if len(batch) == 0:
            return
        total = self.count + len(batch)
        delta = batch.mean(axis=0) - self.mean
        squares = self.var * self.count + batch.var(axis=0) * len(batch)
        self.mean = np.asarray(self.mean + delta * (len(batch) / total))
        self.var = np.asarray((squares + delta**2 * (self.count * len(batch) / total)) / total)
        self.count = total
