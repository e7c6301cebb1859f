"""A policy that draws legal actions uniformly; needs no torch."""

from typing import Any, Literal

import numpy as np
from gymnasium.spaces import Box, Discrete, Space
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.policy.protocol import Policy
from games.engine.jit import njit


class RandomPolicy(Policy):
    """Draws uniformly from the legal actions, `batch.obs.mask` [n, A], or from an action space without a mask.

    Args:
        observation_space: what it sees; kept for reference.
        action_space: Discrete, or a Box with bounds; needed where observations come without a mask.
        action_scaling: as in Tianshou's manual; without effect, since actions are drawn as the environment takes them.
        action_bound_method: the same.
        seed: of its random stream.

    """

    def __init__(
        self,
        observation_space: Space[Any] | None = None,
        action_space: Space[Any] | None = None,
        action_scaling: bool = False,
        action_bound_method: Literal["clip", "tanh", ""] = "",
        *,
        seed: int | np.random.Generator | None = None,
    ):
        if isinstance(observation_space, int | np.integer | np.random.Generator):
            raise UsageError(f"pass the seed by keyword: RandomPolicy(seed={observation_space})")
        self.observation_space, self.action_space = observation_space, action_space
        self._rng = make_rng(seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw `act`: [n], with `probs` [n, A] equal on legal actions; or [n, k] within the bounds of a Box.

        `UsageError` where neither a mask nor an action space says what is legal.
        """
        if isinstance(batch.obs, Batch) and "mask" in batch.obs and batch.obs.mask.shape[-1]:
            mask = batch.obs.mask
        elif isinstance(self.action_space, Discrete) and self.action_space.start == 0:
            mask = np.ones((len(batch.obs), int(self.action_space.n)), np.bool_)
        elif isinstance(self.action_space, Box) and self.action_space.is_bounded():
            low, high = self.action_space.low, self.action_space.high
            return Batch(act=self._rng.uniform(low, high, (len(batch.obs), *low.shape)))
        else:
            raise UsageError(
                "RandomPolicy needs batch.obs.mask, the legal actions (bool [n, A]), or an action_space to draw from, "
                f"Discrete(n) or a bounded Box, not {self.action_space}"
            )
        keys = self._rng.random(mask.shape, np.float32)
        act, probs = np.empty(len(mask), np.int64), np.empty(mask.shape)
        draw_legal(keys, mask, act, probs)
        return Batch(act=act, probs=probs)

    def learn(self, batch: Batch) -> dict[str, float]:
        """Do nothing: there is nothing to learn."""
        return {}

    def reset(self, seed: int | None = None) -> None:
        """Restart the random stream if a seed is given."""
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
