"""Games of training that are remembered, so that people can look on."""

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
"""The board whose games are remembered."""


class RecordedGames(GameVectorEnv):
    """Games side by side as in `GameVectorEnv`, those of one board remembered; nothing else differs.

    Args:
        game: what is played.
        num_envs: how many games.
        names: who plays on that board, by seat; asked when its first move has been chosen.
        openings: as in `GameVectorEnv`.

    """

    def __init__(self, game: Game, num_envs: int, names: Callable[[], Sequence[str]], openings: int = 0):
        super().__init__(game, num_envs, openings=openings)
        self.latest: MatchRecord | None = None
        """The latest game that ended there, None before the first; as `arena.match.replay` plays it again."""
        self._names = names
        self._players: tuple[str, ...] = ()
        self._seed: int | None = None  # of the game that is played; None where its beginning is not known
        self._actions: list[int] = []
        self._returns = np.zeros(self.num_agents)

    def step(
        self, action: NDArray[np.integer[Any]] | Sequence[int], id: Ids = None
    ) -> tuple[Batch, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], Batch]:
        """As in `GameVectorEnv`."""
        stepped = super().step(action, id)
        rows = self._rows if id is None else rows_of(id, len(self))
        for place in np.flatnonzero(rows == BOARD).tolist():
            self._remember(int(action[place]), stepped[1][place])
        return stepped

    def restore(self, arrays: Batch) -> None:
        """As in `GameVectorEnv`; the game that goes on from there is not remembered."""
        super().restore(arrays)
        self._seed = None

    def _begin(self, rows: NDArray[np.int64]) -> None:
        if BOARD in rows:
            self._seed = int(self._streams[BOARD])
            self._players, self._actions, self._returns = (), [], np.zeros(self.num_agents)
        super()._begin(rows)

    def _open(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        moves, earned = super()._open(rows)
        if BOARD in rows:
            place = int(np.flatnonzero(rows == BOARD)[0])
            self._actions = moves[place, moves[place] >= 0].tolist()
            self._returns += earned[place]
        return moves, earned

    def _remember(self, action: int, rewards: NDArray[np.float32]) -> None:
        """An action on the board, and what it brought."""
        if self._seed is None:
            return
        if not self._players:
            self._players = tuple(self._names())
        self._actions.append(action)
        self._returns += rewards
        if self.over[BOARD]:
            verdict = Verdict(tuple(self._returns.tolist()))
            self.latest = MatchRecord(self.game.label, self._players, self._seed, (), tuple(self._actions), verdict)
