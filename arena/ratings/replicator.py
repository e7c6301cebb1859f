"""Projected replicator dynamics: strategies better than the average grow, and none dies out.

A meta-strategy for pools of opponents: between the best mixture of today and exploring all of the pool (M. Lanctot et
al., "A Unified Game-Theoretic Approach to Multiagent Reinforcement Learning", 2017, arXiv 1711.00832, section 3.1 and
appendix B). The projection is the exact one, by J. Duchi et al., "Efficient projections onto the l1-ball", ICML 2008.
"""

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.base.jit import njit

Floats = NDArray[np.float64]


def projected_replicator(
    payoffs: Floats, iterations: int = 50_000, step: float = 1e-3, exploration: float = 1e-10
) -> list[Floats]:
    """Return each seat's mixed strategy, P arrays [S_p], averaged over all iterations.

    `payoffs` [P, S_0, ..., S_(P-1)] is the payoff of each seat in each profile; for a symmetric pool with scores X [N,
    N], `numpy.stack([X, X.T])`. The dynamics start uniform, move by `step`, and are projected so that a seat with S
    strategies plays each at least `exploration` / (S + 1) of the time.
    """
    if payoffs.ndim != len(payoffs) + 1:
        raise UsageError(f"payoffs of shape {payoffs.shape} do not have an axis for the seats and one for each of them")
    sizes = np.array(payoffs.shape[1:])
    sums = _run(np.ascontiguousarray(payoffs.reshape(len(payoffs), -1), float), sizes, iterations, step, exploration)
    return [part / part.sum() for part in np.split(sums, np.cumsum(sizes)[:-1])]


@njit(cache=True, nogil=True)
def _run(
    payoffs: Floats, sizes: NDArray[np.int64], iterations: int, step: float, exploration: float
) -> Floats:  # payoffs [P, profiles], in row-major order
    first = np.zeros(len(sizes) + 1, np.int64)
    first[1:] = np.cumsum(sizes)
    shares, sums = np.empty(first[-1]), np.zeros(first[-1])
    for seat in range(len(sizes)):
        shares[first[seat] : first[seat + 1]] = 1.0 / sizes[seat]
    for _ in range(iterations):
        values = _strategy_values(payoffs, sizes, first, shares)
        for seat in range(len(sizes)):
            part = slice(first[seat], first[seat + 1])
            growth = values[part] - (shares[part] * values[part]).sum()
            shares[part] = _project(shares[part] * (1.0 + step * growth), exploration / (sizes[seat] + 1))
        sums += shares
    return sums


@njit(cache=True, nogil=True)
def _strategy_values(payoffs: Floats, sizes: NDArray[np.int64], first: NDArray[np.int64], shares: Floats) -> Floats:
    """Return the value of each strategy against the others' shares [sum of S_p]."""
    values = np.zeros(first[-1])
    chosen = np.zeros(len(sizes), np.int64)
    for profile in range(payoffs.shape[1]):
        for seat in range(len(sizes)):
            chance = 1.0
            for other in range(len(sizes)):
                if other != seat:
                    chance *= shares[first[other] + chosen[other]]
            values[first[seat] + chosen[seat]] += chance * payoffs[seat, profile]
        for seat in range(len(sizes) - 1, -1, -1):
            chosen[seat] += 1
            if chosen[seat] < sizes[seat]:
                break
            chosen[seat] = 0
    return values


@njit(cache=True, nogil=True)
def _project(values: Floats, least: float) -> Floats:
    """Return the nearest shares [S] that are all at least `least`."""
    room = 1.0 - least * len(values)
    above = np.sort(values - least)[::-1]
    surplus, total = 0.0, 0.0
    for count in range(len(above)):
        total += above[count]
        if above[count] > (total - room) / (count + 1):
            surplus = (total - room) / (count + 1)
    projected: Floats = np.maximum(values - least - surplus, 0.0) + least
    return projected
