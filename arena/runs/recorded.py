"""`RecordedGames`: training games one of whose boards is recorded, so that people can watch it."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch
from arena.env.ids import Ids, rows_of
from arena.env.native import GameVectorEnv
from arena.match.verdict import MatchRecord, Verdict
from games.engine.game import Game

BOARD = 0
"""The board whose games are recorded."""


class RecordedGames(GameVectorEnv):
    """A `GameVectorEnv` that also records the games of board `BOARD`.

    Args:
        game: the game.
        num_envs: number of games side by side.
        names: returns the names of the players on that board by seat; called after the first move of a game is chosen.
        openings: as in `GameVectorEnv`.

    """

    def __init__(self, game: Game, num_envs: int, names: Callable[[], Sequence[str]], openings: int = 0):
        super().__init__(game, num_envs, openings=openings)
        self.latest: MatchRecord | None = None
        """The latest finished game of the board, for `arena.match.replay`; None before the first."""
        self._names = names
        self._players: tuple[str, ...] = ()
        self._seed: int | None = None  # of the current game; None if recording did not begin with its first move
        self._actions: list[int] = []
        self._returns = np.zeros(self.num_agents)

    def step(
        self, action: NDArray[np.integer[Any]] | Sequence[int], id: Ids = None
    ) -> tuple[Batch, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], Batch]:
        """Step as in `GameVectorEnv`, and record the moves of the board."""
        stepped = super().step(action, id)
        rows = self._rows if id is None else rows_of(id, len(self))
        for place in np.flatnonzero(rows == BOARD).tolist():
            self._record(int(action[place]), stepped[1][place])
        return stepped

    def load_state_dict(self, arrays: Batch) -> None:
        """Load as in `GameVectorEnv`; the unfinished game of the board is not recorded."""
        super().load_state_dict(arrays)
        self._seed = None

    def _begin(self, rows: NDArray[np.int64]) -> None:
        if BOARD in rows:
            self._seed = int(self._streams[BOARD])
            self._players, self._actions, self._returns = (), [], np.zeros(self.num_agents)
        super()._begin(rows)

    def _open(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        moves, returns = super()._open(rows)
        if BOARD in rows:
            place = int(np.flatnonzero(rows == BOARD)[0])
            self._actions = moves[place, moves[place] >= 0].tolist()
            self._returns += returns[place]
        return moves, returns

    def _record(self, action: int, rewards: NDArray[np.float32]) -> None:
        """Add an action on the board and its rewards [P] to the record."""
        if self._seed is None:
            return
        if not self._players:
            self._players = tuple(self._names())
        self._actions.append(action)
        self._returns += rewards
        if self.over[BOARD]:
            verdict = Verdict(tuple(self._returns.tolist()))
            self.latest = MatchRecord(self.game.label, self._players, self._seed, (), tuple(self._actions), verdict)
