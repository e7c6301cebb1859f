"""`VectorGames`: games of one kind side by side, whatever plays them underneath."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import GameOverError, IllegalActionError, UsageError
from arena.data.batch import Batch
from arena.env.ids import Ids, rows_of
from games.engine.actions import Action, action_of
from games.engine.game import Game
from games.engine.picture import Picture


class Recorder(Protocol):
    """Follows the games of one board."""

    @property
    def board(self) -> int:
        """Number of the board."""

    def begin(self, seed: int) -> None:
        """Note that a game begins, whose chance events follow from `seed`."""

    def open(self, actions: Sequence[Action], rewards: NDArray[Any]) -> None:
        """Note the random moves with which the game begins, and the rewards [P] that they brought."""

    def play(self, action: Action, rewards: NDArray[Any], over: bool) -> None:
        """Note an action, the rewards [P] that it brought, and whether the game is over."""

    def interrupt(self) -> None:
        """Note that the game goes on from another position, whose beginning is not known."""


class VectorGames(ABC):
    """`num_envs` games of one `Game` side by side; in each the seat to move acts. Abstract.

    An observation is `Batch(agent_id, obs, mask)` of the seats to move: int [R], [R, *O], bool [R, A] (A = 0 where
    actions are continuous). Rewards and ends are [R, P], one entry a seat. A finished game (its mask all True) waits
    for `reset(id)`. Everything returned is a copy.
    """

    game: Game
    recorder: Recorder | None = None
    """Follows the games of one board; None for nobody."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of games."""

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of the agents by seat."""
        return self.game.agents

    @property
    def num_agents(self) -> int:
        """Number of seats."""
        return self.game.num_players

    @property
    @abstractmethod
    def states(self) -> NDArray[Any]:
        """The positions, structured records [B]."""

    @property
    @abstractmethod
    def seats(self) -> NDArray[np.int64]:
        """The seat to move in each game, [B]."""

    @property
    @abstractmethod
    def mask(self) -> NDArray[np.bool_]:
        """The legal actions of the seats to move, [B, A]; all True in a finished game."""

    @property
    @abstractmethod
    def over(self) -> NDArray[np.bool_]:
        """Mask of the games that have ended or never begun, [B]."""

    @abstractmethod
    def reset(self, id: Ids = None, seed: int | Sequence[int] | None = None) -> tuple[Batch, Batch]:
        """Restart all games, or those of `id`; return observations and infos.

        A seed decides what chance does in this game and in those that follow it in the same place; a single one counts
        up over the games. Without, each place goes on with its random stream.
        """

    @abstractmethod
    def step(
        self, action: NDArray[Any] | Sequence[Action], id: Ids = None
    ) -> tuple[Batch, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], Batch]:
        """Play one action in each game, or in those of `id`: whole numbers [R], or real ones [R, k].

        Returns observations, rewards [R, P] that these actions brought, terminated [R, P], truncated [R, P], and infos.
        Raises, before anything is played, `UsageError` if the actions are of another form, and `IllegalActionError`
        or `GameOverError` if one of them may not be played.
        """

    @abstractmethod
    def seed(self, seed: int | Sequence[int] | None = None) -> list[int | None]:
        """Use these seeds for what chance does from the next `reset` on; return them."""

    @abstractmethod
    def observations(self, id: Ids = None) -> Batch:
        """Return the latest observations of the games `id`: `agent_id` [R], `obs` [R, *O] and `mask` [R, A]."""

    @abstractmethod
    def final_obs(self, id: Ids = None) -> Batch:
        """Return the view of every seat: `obs` [R, P, *O] and `mask` [R, P, A] (all True in a finished game)."""

    @abstractmethod
    def positions(self, id: Ids = None) -> NDArray[Any]:
        """Return records [R] of the games `id` as the seats to move may imagine them.

        What a seat may not know, chance to come included, is left out or replaced by a fresh sample.
        """

    @abstractmethod
    def state_dict(self) -> Batch:
        """Return everything that changes, as arrays, to be saved."""

    @abstractmethod
    def load_state_dict(self, arrays: Batch) -> None:
        """Load what `state_dict` returned; `UsageError` if it comes from another number of games or another game."""

    def picture(self, row: int, state: NDArray[Any]) -> Picture:
        """Return the picture of the current position of a game; `state` () may be limited to what seats are shown."""
        return self.game.picture(state)

    def action_text(self, row: int, state: NDArray[Any], action: Action) -> str:
        """Return the name of an action in the current position `state` () of a game."""
        return self.game.action_text(state, action)

    def render(self) -> list[str]:
        """Return every board as text."""
        return [self.picture(row, state).text() for row, state in enumerate(self.states)]

    @abstractmethod
    def close(self) -> None:
        """Release what the games hold."""

    def checked_actions(self, action: Any, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return actions as int64 [R] or float32 [R, k]; `UsageError` unless there is one for each of `rows`."""
        actions = np.asarray(action)
        if self.game.action_box is not None:
            if actions.shape != (wanted := (len(rows), *self.game.action_shape)) or actions.dtype.kind not in "fiu":
                raise UsageError(f"step takes real numbers {wanted}, not {actions.dtype} of shape {actions.shape}")
            return np.ascontiguousarray(actions, np.float32)
        if actions.shape != rows.shape or actions.dtype.kind not in "iu":
            raise UsageError(
                f"step takes {len(rows)} whole numbers, one per game, not {actions.dtype} of shape {actions.shape}"
            )
        return np.ascontiguousarray(actions, np.int64)

    def refusal(self, row: int, action: Action, mask: NDArray[np.bool_]) -> UsageError:
        """Return the error that refuses an action in a game whose legal actions are `mask` [A]."""
        where = f"{self.game.name}, environment {row}"
        if self.over[row]:
            return GameOverError(f"{where}: the game is over; reset({row}) it first")
        legal = np.flatnonzero(mask).tolist() if self.game.action_box is None else self.game.action_box
        return IllegalActionError(f"{where}: action {action} is illegal; legal are {legal}")

    def record_step(self, rows: NDArray[np.int64], actions: NDArray[Any], rewards: NDArray[np.float32]) -> None:
        """Tell the recorder of a step in the games `rows`, if it follows one of them."""
        if self.recorder is not None:
            for place in np.flatnonzero(rows == self.recorder.board).tolist():
                self.recorder.play(action_of(actions[place]), rewards[place], bool(self.over[self.recorder.board]))

    def rows_of(self, id: Ids) -> NDArray[np.int64]:
        """Return the row numbers of `id`."""
        return rows_of(id, len(self))
