"""Data augmentation by the symmetries of a game: a rotated or mirrored position is an equally good example."""

import numpy as np

from arena.data.batch import Batch
from games.engine.game import Game


def turn(batch: Batch, game: Game, rng: np.random.Generator) -> None:
    """Rotate or mirror the observation of each row at random, together with `mask` and `policy.target`."""
    n = len(batch)
    chosen = rng.integers(len(game.symmetries) + 1, size=n)
    obs, mask = batch.obs.obs.reshape(n, -1).copy(), batch.obs.mask.copy()
    target = batch.policy.target.copy()
    for number, (entries, actions) in enumerate(game.symmetries, start=1):
        rows = np.flatnonzero(chosen == number)
        obs[rows], mask[rows] = obs[rows][:, entries], mask[rows][:, actions]
        target[rows] = target[rows][:, actions]
    batch.obs = Batch(agent_id=batch.obs.agent_id, obs=obs.reshape(n, *game.observation_shape), mask=mask)
    batch.policy = Batch(target=target)
