"""A game's symmetries multiply what is learned from: a position turned or mirrored is as good an example."""

import numpy as np

from arena.data.batch import Batch
from games.engine.game import Game


def turn(batch: Batch, game: Game, rng: np.random.Generator) -> None:
    """Turn or mirror at random what is seen in each row, and with it `mask` and `policy.target`; the game stays."""
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
