"""`Shapes`: what a policy gets of the arrays that all seats of a game share, and what it gives back."""

from collections.abc import Callable
from typing import Any, cast

from numpy.typing import NDArray

from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from games.engine.game import Game
from games.engine.seats import SeatGroup


class Shapes:
    """The arrays as they are."""

    def batch(self, batch: Batch) -> Batch:
        """Return a batch as the policy sees it."""
        return batch

    def buffer(self, buffer: ReplayBuffer) -> ReplayBuffer:
        """Return a buffer whose rows are as the policy sees them."""
        return buffer

    def actions(self, actions: NDArray[Any]) -> NDArray[Any]:
        """Return actions of the game as those of the policy."""
        return actions

    def padded(self, actions: NDArray[Any]) -> NDArray[Any]:
        """Return actions of the policy as those of the game."""
        return actions


class OwnShapes(Shapes):
    """Views of the observations, masks and actions of a game that the seats of a group have."""

    def __init__(self, game: Game, group: SeatGroup):
        self._group, self._action_shape = group, game.action_shape

    def batch(self, batch: Batch) -> Batch:
        """Return a batch around the group's own part of observations, masks and actions; the rest is the same."""
        own = Batch(batch)
        for key in {"obs", "obs_next"} & own.__dict__.keys():
            if "obs" in own[key]:
                own[key] = view = Batch(own[key])
                view.obs, view.mask = self._group.own_obs(view.obs), view.mask[:, : self._group.num_actions]
        if "act" in own:
            own.act = self.actions(own.act)
        return own

    def buffer(self, buffer: ReplayBuffer) -> ReplayBuffer:
        """Return a buffer whose rows are the group's own part."""
        return cast(ReplayBuffer, OwnRows(buffer, self.batch))  # it answers as the buffer does

    def actions(self, actions: NDArray[Any]) -> NDArray[Any]:
        """Return actions of the game as those of the group."""
        return self._group.own_actions(actions)

    def padded(self, actions: NDArray[Any]) -> NDArray[Any]:
        """Return actions of the group as those of the game."""
        return self._group.padded_actions(actions, self._action_shape)


class OwnRows:
    """A replay buffer that shows its rows through a function."""

    def __init__(self, buffer: ReplayBuffer, show: Callable[[Batch], Batch]):
        self._buffer, self._show = buffer, show

    def __getitem__(self, index: Any) -> Batch:
        """Return rows, shown."""
        return self._show(self._buffer[index])

    def obs_next_at(self, places: Any) -> Any:
        """Return the next observations at `places`, shown."""
        return self[places].obs_next

    def __len__(self) -> int:
        return len(self._buffer)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._buffer, name)
