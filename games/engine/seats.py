"""`SeatGroup`: seats whose agents have the same observations and actions, in a game where not all have."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.actions import ActionBox, random_actions


@dataclass(frozen=True, eq=False)
class SeatGroup:
    """Seats of one kind: the shapes of their own, and where these lie in the arrays that all seats of the game share.

    The game has one shape for all, in which what a seat lacks is zero, illegal or without effect.
    """

    seats: tuple[int, ...]
    observation_shape: tuple[int, ...]
    """Shape of what a seat of the group sees, O'."""
    observation_dtype: Any
    observation_low: Any
    observation_high: Any
    places: NDArray[np.int64]
    """Where its entries lie in the flattened observation of the game, [prod(O')]."""
    num_actions: int
    """Number of its actions; 0 where they are continuous."""
    action_box: ActionBox | None
    """Its continuous actions; None where they are numbered."""
    entries: NDArray[np.int64]
    """Where its entries lie in the action vector of the game; of a numbered action [1], the place of the number."""

    def own_obs(self, obs: NDArray[Any]) -> NDArray[Any]:
        """Return observations [n, *O] of the game in the shape of the group, [n, *O']: a view where that can be."""
        flat, (first, last) = obs.reshape(len(obs), -1), (self.places[0], self.places[-1])
        in_one = last - first + 1 == len(self.places)
        return (flat[:, first : last + 1] if in_one else flat[:, self.places]).reshape(-1, *self.observation_shape)

    def own_actions(self, actions: NDArray[Any]) -> NDArray[Any]:
        """Return actions of the game, [n] or [n, k], as those of the group: int64 [n] or [n, k']."""
        if actions.ndim == 1:
            return actions
        own = actions[:, self.entries]
        return own if self.action_box is not None else np.rint(own[:, 0]).astype(np.int64)

    def padded_actions(self, actions: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        """Return actions of the group as those of the game, which are of `shape` () or (k,)."""
        if not shape:
            return actions
        dtype = np.float32 if actions.dtype.kind in "iu" else actions.dtype
        padded = np.zeros((len(actions), *shape), dtype)
        padded[:, self.entries] = actions.reshape(len(actions), len(self.entries))
        return padded

    def draw(self, masks: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[Any]:
        """Draw legal actions of the group uniformly, for masks [n, A] of the game."""
        return random_actions(masks[:, : self.num_actions], self.action_box, rng)


def group_of(groups: Sequence[SeatGroup], seat: int) -> SeatGroup | None:
    """Return the group of a seat; None where there are no groups, since all seats are alike."""
    return next((group for group in groups if seat in group.seats), None)


def box_of(groups: Sequence[SeatGroup], common: ActionBox | None, seat: int) -> ActionBox | None:
    """Return the continuous actions of a seat, of its own entries alone, `common` being those that all seats share.

    None where its actions are numbered.
    """
    group = group_of(groups, seat)
    return common if group is None else group.action_box
