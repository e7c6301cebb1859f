"""`GameVectorEnv`: thousands of games of one kind, stepped by one compiled call."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch
from arena.data.rows import require_fit
from arena.env.ids import Ids, rows_of, seeds_for
from arena.errors import GameOverError, IllegalActionError, UsageError
from games.engine.compiler import kernels
from games.engine.game import Game
from games.engine.registry import make_game


class GameVectorEnv:
    """`num_envs` games side by side; in each the seat to move acts, in turns of the game's own order.

    An observation is `Batch(agent_id, obs, mask)` of the seats to move: int [R], [R, *O], bool [R, A]. Rewards and ends
    are [R, P], one entry a seat. Nothing resets itself: a finished game (its mask all True) waits for `reset(id)`.
    Everything returned is a copy. Takes a `Game`, or a name with options.
    """

    def __init__(self, game: Game | str, num_envs: int, **options: Any):
        self.game = make_game(game, **options) if isinstance(game, str) else game
        if num_envs < 1:
            raise UsageError(f"num_envs={num_envs} is not at least 1")
        self._kernels = kernels(self.game)
        self._rows = np.arange(num_envs)
        self._initial = self.game.initial.reshape(1)
        self.states = np.repeat(self._initial, num_envs)
        """The positions, structured records [B]."""
        self.seats = np.zeros(num_envs, np.int64)
        """The seat to move in each game, [B]."""
        self.obs = np.zeros((num_envs, *self.game.observation_shape), self.game.observation_dtype)
        self.mask = np.ones((num_envs, self.game.num_actions), np.bool_)
        self._rewards = np.zeros((num_envs, self.num_agents), np.float32)
        self.over = np.ones(num_envs, np.bool_)
        """Which games have ended (or never begun), [B]."""

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of the agents by seat."""
        return self.game.agents

    @property
    def num_agents(self) -> int:
        """Number of seats."""
        return self.game.num_players

    def reset(self, id: Ids = None) -> tuple[Batch, Batch]:
        """Start all games, or those of `id`, anew; returns observations and (empty) infos."""
        rows = rows_of(id, len(self))
        self._kernels.reset(self.states, self._initial, rows, self.seats, self.obs, self.mask)
        self.over[rows] = False
        return self._observations(rows), Batch()

    def step(
        self, action: NDArray[np.integer[Any]] | Sequence[int], id: Ids = None
    ) -> tuple[Batch, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], Batch]:
        """Play one action in each game, or in those of `id`.

        Returns observations, rewards [R, P] that these actions brought, terminated [R, P], truncated [R, P] (never),
        and infos. Nothing is played, and `UsageError` raised, if the actions are not R whole numbers;
        `IllegalActionError` or `GameOverError` if one of them may not be played.
        """
        rows = rows_of(id, len(self))
        actions = np.asarray(action)
        if actions.shape != rows.shape or actions.dtype.kind not in "iu":
            raise UsageError(
                f"step takes {len(rows)} whole numbers, one a game, not {actions.dtype} of shape {actions.shape}"
            )
        actions = actions.astype(np.int64, copy=False)
        bad = self._kernels.first_illegal(rows, actions, self.mask, self.over)
        if bad >= 0:
            raise self._refusal(int(rows[bad]), int(actions[bad]))
        self._kernels.step(self.states, rows, actions, self.seats, self.obs, self.mask, self._rewards, self.over)
        over = np.repeat(self.over[rows][:, None], self.num_agents, axis=1)
        return self._observations(rows), self._rewards[rows], over, np.zeros_like(over), Batch()

    def final_obs(self, id: Ids = None) -> Batch:
        """What every seat sees now: `obs` [R, P, *O] and `mask` [R, P, A] (all True in a finished game)."""
        rows = rows_of(id, len(self))
        shape = (len(rows), self.num_agents)
        obs = np.empty((*shape, *self.game.observation_shape), self.game.observation_dtype)
        mask = np.empty((*shape, self.game.num_actions), np.bool_)
        self._kernels.observe_all(self.states, rows, obs, mask)
        return Batch(obs=obs, mask=mask)

    def arrays(self) -> Batch:
        """Everything that changes, as arrays, to be saved."""
        states = self.states.view(np.uint8).reshape(len(self), -1)
        return Batch(states=states, seats=self.seats, obs=self.obs, mask=self.mask, over=self.over, copy=True)

    def restore(self, arrays: Batch) -> None:
        """Go on from what `arrays` gave; `UsageError` if it comes from another number of games or another game."""
        require_fit(self.arrays(), arrays, len(self))
        arrays = Batch(arrays, copy=True)
        self.states = np.ascontiguousarray(arrays.states).view(self.game.state_dtype).reshape(-1)
        self.seats, self.obs, self.mask, self.over = arrays.seats, arrays.obs, arrays.mask, arrays.over

    def seed(self, seed: int | Sequence[int] | None = None) -> list[int | None]:
        """Accepted for symmetry with other environments: these games have no chance in them."""
        return seeds_for(seed, len(self))

    def render(self) -> list[str]:
        """Every board as text."""
        return [self.game.picture(state).text() for state in self.states]

    def close(self) -> None:
        """Nothing to release."""

    def _observations(self, rows: NDArray[np.int64]) -> Batch:
        # `take` copies whole rows three times as fast as indexing does
        return Batch(agent_id=self.seats[rows], obs=self.obs.take(rows, axis=0), mask=self.mask.take(rows, axis=0))

    def _refusal(self, row: int, action: int) -> UsageError:
        where = f"{self.game.name}, environment {row}"
        if self.over[row]:
            return GameOverError(f"{where}: the game is over; reset({row}) it first")
        legal = np.flatnonzero(self.mask[row]).tolist()
        return IllegalActionError(f"{where}: action {action} is illegal; legal are {legal}")
