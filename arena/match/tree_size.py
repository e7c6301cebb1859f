"""Estimate of the size of a game's tree without building it."""

import numpy as np

from arena.env.make import vector_games
from games.engine.game import Game

GAMES = 256
"""Random games in the estimate."""
LONGEST = 300
"""Moves after which a random game is cut off."""


def guess_size(game: Game, seed: int = 0) -> float:
    """Estimate the decimal logarithm of the number of positions in the tree, for one outcome of every chance event.

    In a random game the expected product of the numbers of choices so far is the number of positions of that depth
    (D. E. Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation 29, 1975). The estimate
    is rough, and too low for long games; it only shows the order of magnitude.
    """
    env, rng = vector_games(game, GAMES), np.random.default_rng(seed)
    obs, _ = env.reset(seed=seed)
    under_way, log_products, log_sizes = np.arange(GAMES), np.zeros(GAMES), [0.0]
    while len(under_way) and len(log_sizes) < LONGEST:
        mask = np.asarray(obs.mask)
        log_products[under_way] += np.log(mask.sum(axis=1))
        log_sizes.append(float(np.logaddexp.reduce(log_products[under_way])) - np.log(GAMES))
        obs, _, terminated, truncated, _ = env.step((rng.random(mask.shape) * mask + mask).argmax(axis=1), under_way)
        going = ~(terminated | truncated).all(axis=1)
        under_way, obs = under_way[going], obs[going]
    return float(np.logaddexp.reduce(log_sizes)) / np.log(10)
