"""Exploration of discrete actions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def epsilon_greedy(
    act: NDArray[np.integer[Any]],
    mask: NDArray[np.bool_] | None,
    num_actions: int,
    eps: float,
    rng: np.random.Generator,
) -> NDArray[np.integer[Any]]:
    """With chance `eps` replace each action [n] by one drawn from the legal ones (`mask` [n, A], None: all)."""
    chosen = np.flatnonzero(rng.random(len(act)) < eps)
    if len(chosen):
        keys = rng.random((len(chosen), num_actions))
        legal = np.ones_like(keys) if mask is None else np.asarray(mask)[chosen]
        act = act.copy()
        act[chosen] = (keys * legal + legal).argmax(axis=1)
    return act
