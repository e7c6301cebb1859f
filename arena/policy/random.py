"""A policy that plays any legal action with the same chance; needs no torch."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from arena.data.batch import Batch
from arena.errors import UsageError
from arena.policy.protocol import Policy
from arena.seeding import make_rng


class RandomPolicy(Policy):
    """Uniform over the legal actions, which `batch.obs.mask` [n, A] must show."""

    def __init__(self, seed: int | np.random.Generator | None = None):
        self._rng = make_rng(seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw `act` [n]; `probs` [n, A] are equal on legal actions."""
        if "mask" not in batch.obs:
            raise UsageError("RandomPolicy needs batch.obs.mask, the legal actions (bool [n, A])")
        mask = batch.obs.mask
        keys = self._rng.random(mask.shape, np.float32)
        act, probs = np.empty(len(mask), np.int64), np.empty(mask.shape)
        draw_legal(keys, mask, act, probs)
        return Batch(act=act, probs=probs)

    def learn(self, batch: Batch) -> dict[str, float]:
        """Nothing to learn."""
        return {}

    def reset(self, seed: int | None = None) -> None:
        """With a seed, start the random stream anew."""
        if seed is not None:
            self._rng = make_rng(seed)


@njit(cache=True, nogil=True)
def draw_legal(
    keys: NDArray[np.float32], mask: NDArray[np.bool_], act: NDArray[np.int64], probs: NDArray[np.float64]
) -> None:
    """Write into `act` [n] the legal action of the highest key, and its chances into `probs`; keys and mask are [n, A].

    The first of those that are equal counts, after 1 has been added: so it was when NumPy did this, draw for draw.
    """
    for row in range(len(mask)):
        best, legal = np.float32(0), 0
        act[row] = 0
        for action in range(mask.shape[1]):
            if mask[row, action]:
                legal += 1
                key = keys[row, action] + np.float32(1)
                if key > best:
                    best, act[row] = key, action
        for action in range(mask.shape[1]):
            probs[row, action] = mask[row, action] / max(legal, 1)
