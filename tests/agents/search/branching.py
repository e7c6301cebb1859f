"""Positions as environments of their own, and the ones after a move, for plain searches to walk."""

import numpy as np

from arena.env import GameVectorEnv


def open_positions(game, count, plies, seed=0):
    """Return an environment after random moves, and its rows that are not over."""
    rng = np.random.default_rng(seed)
    env = GameVectorEnv(game, count)
    env.reset(seed=seed)
    for _ in range(plies):
        rows = np.flatnonzero(~env.over)
        env.step((rng.random(env.mask[rows].shape) * env.mask[rows]).argmax(axis=1), rows)
    return env, np.flatnonzero(~env.over)


def alone(env, row):
    """Return an environment that holds one position of another."""
    one = GameVectorEnv(env.game, 1)
    one.reset()
    one.load_state_dict(env.state_dict()[row : row + 1])
    return one


def after(env, action):
    """Return the position after a move, and the rewards of all seats."""
    following = alone(env, 0)
    _, rewards, *_ = following.step([action])
    return following, rewards[0]
