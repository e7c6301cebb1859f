"""A policy that plays any legal action with the same chance; needs no torch."""

from typing import Any

import numpy as np

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
        return Batch(act=(keys * mask + mask).argmax(axis=1), probs=mask / mask.sum(axis=1, keepdims=True))

    def learn(self, batch: Batch) -> dict[str, float]:
        """Nothing to learn."""
        return {}

    def reset(self, seed: int | None = None) -> None:
        """With a seed, start the random stream anew."""
        if seed is not None:
            self._rng = make_rng(seed)
