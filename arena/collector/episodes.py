"""Returns and lengths of unfinished episodes, and of those that ended in a collection."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Ended = tuple[NDArray[np.float64], Ints, Ints]
"""Returns [n, P], lengths [n] and players [n, P] (or [n, 0], if unknown) of n episodes."""


class Episodes:
    """Counts the episodes of B environments with P seats, from their first step on.

    `env_ids` [n] are in ascending order throughout.
    """

    def __init__(self, num_envs: int, num_agents: int):
        self.returns = np.zeros((num_envs, num_agents))
        """Returns of every seat in the current episode, [B, P]."""
        self.lens = np.zeros(num_envs, np.int64)
        """Steps made in it, [B]."""

    def begin(self, env_ids: Ints) -> None:
        """Start counting new episodes in these environments."""
        self.returns[env_ids] = 0.0
        self.lens[env_ids] = 0

    def count(self, env_ids: Ints, rew: NDArray[np.float64]) -> None:
        """Count a step with rewards `rew` [n, P]."""
        if len(env_ids) == len(self.lens):  # all of them, in order: a third of the time
            self.returns += rew
            self.lens += 1
        else:
            self.returns[env_ids] += rew
            self.lens[env_ids] += 1

    def ended(self, env_ids: Ints, players: Ints) -> Ended:
        """Return the figures of these ended episodes, with their `players` [n, P] (or [n, 0])."""
        return self.returns[env_ids], self.lens[env_ids], players


def joined(ended: list[Ended], num_agents: int) -> Ended:
    """Concatenate the figures of several parts."""
    if not ended:
        none = np.zeros((0, num_agents))
        return none, np.zeros(0, np.int64), none.astype(np.int64)
    returns, lens, players = zip(*ended, strict=True)
    return np.concatenate(returns), np.concatenate(lens), np.concatenate(players)
