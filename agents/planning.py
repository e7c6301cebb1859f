"""Planning in processes that are known: numbered states and actions."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def value_iteration(chances: Floats, rewards: Floats, gamma: float, epsilon: float, legal: NDArray[np.bool_]) -> Floats:
    """Q-values [S, A] of a process with chances [S, A, S] and mean rewards [S, A], of its best policy.

    Goes on until values are within `epsilon` of the exact ones (Puterman 1994, theorem 6.3.1), or for 10,000 sweeps
    where the discount `gamma` is so near to 1 that they might grow for ever. Only `legal` [S, A] actions are
    considered.
    """
    value = np.zeros(len(rewards))
    for _ in range(10_000):
        q = rewards + gamma * chances @ value
        best = np.where(legal, q, -np.inf).max(axis=1)
        change = np.abs(best - value).max()
        value = best
        if change * gamma <= epsilon * (1 - gamma):
            break
    return q
