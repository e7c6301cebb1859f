"""Planning in known Markov decision processes with numbered states and actions."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def value_iteration(
    chances: Floats, rewards: Floats, discount_factor: float, epsilon: float, legal: NDArray[np.bool_]
) -> Floats:
    """Return the optimal Q-values [S, A] for transition probabilities [S, A, S] and mean rewards [S, A].

    Iterates until values are within `epsilon` of the optimal ones (Puterman 1994, theorem 6.3.1), but for at most
    10,000 sweeps, since they may diverge for a `discount_factor` near 1. Only `legal` [S, A] actions are considered.
    """
    value = np.zeros(len(rewards))
    for _ in range(10_000):
        q = rewards + discount_factor * chances @ value
        best = np.where(legal, q, -np.inf).max(axis=1)
        change = np.abs(best - value).max()
        value = best
        if change * discount_factor <= epsilon * (1 - discount_factor):
            break
    return q
