"""How large a game's tree is, about, without writing it out."""

import numpy as np

from arena.env.native import GameVectorEnv
from games.engine.game import Game

GAMES = 256
"""Random games that a guess is the mean over."""
LONGEST = 300
"""Moves after which they are broken off."""


def guess_size(game: Game, seed: int = 0) -> float:
    """The decimal logarithm of about how many positions the tree has, for each way that chance may go.

    In a random game the product of the numbers of choices so far is, in the mean, the number of positions of that depth
    (D. E. Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation 29, 1975). It is a guess
    from few games, and low for long ones: it says how hopeless it is, not more.
    """
    env, rng = GameVectorEnv(game, GAMES), np.random.default_rng(seed)
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
