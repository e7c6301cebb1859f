"""Episodes under way, and what a collection has to tell of those that ended."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Ended = tuple[NDArray[np.float64], Ints, Ints]
"""Returns [n, P], lengths [n] and players [n, P] (or [n, 0], if nobody knows) of n episodes."""


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
        """New episodes begin in these environments."""
        self.returns[env_ids] = 0.0
        self.lens[env_ids] = 0

    def count(self, env_ids: Ints, rew: NDArray[np.float64]) -> None:
        """Count a step that brought `rew` [n, P]."""
        if len(env_ids) == len(self.lens):  # all of them, in order: a third of the time
            self.returns += rew
            self.lens += 1
        else:
            self.returns[env_ids] += rew
            self.lens[env_ids] += 1

    def ended(self, env_ids: Ints, players: Ints) -> Ended:
        """The figures of these episodes, which have ended; `players` [n, P] (or [n, 0]) took part in them."""
        return self.returns[env_ids], self.lens[env_ids], players


def joined(ended: list[Ended], num_agents: int) -> Ended:
    """The figures of all these episodes together."""
    if not ended:
        none = np.zeros((0, num_agents))
        return none, np.zeros(0, np.int64), none.astype(np.int64)
    returns, lens, players = zip(*ended, strict=True)
    return np.concatenate(returns), np.concatenate(lens), np.concatenate(players)
