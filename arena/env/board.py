"""`HostBoard`: the games of a `GameVectorEnv` and the kernels that play them, in this machine's memory.

`arena.env.device_board` has the same for a CUDA device. Arrays that go in and out are of the board's own kind: NumPy's
here, tensors there. R are the rows of a call.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.env.ids import Ids, rows_of
from arena.env.row_threads import RowThreads
from games.engine.batch import Games, Shown, new_games
from games.engine.chance import GAMMA
from games.engine.compiler import kernels
from games.engine.game import Game
from games.engine.jit import Unchecked
from games.engine.row_sharing import RowShare

Array = Any
"""An array of a board: NumPy's, or a tensor on a device."""


@cache
def unchecked(kernel: Any) -> Unchecked:
    """Return a kernel of boards. Each layout of games has its own, so that all boards call it by the same types."""
    return Unchecked(kernel)


class HostBoard:
    """`num_games` games of one kind in NumPy arrays.

    Args:
        game: the game.
        num_games: B.
        threads: how many threads may share a call, of as many cores at most.

    """

    def __init__(self, game: Game, num_games: int, threads: int = 1):
        self.game = game
        self.games: Games = new_games(game, num_games)
        """The games as callers see them."""
        self._threads = RowThreads(threads)
        self._kernels = kernels(game)
        self._advance, self._first_illegal = unchecked(self._kernels.advance), unchecked(self._kernels.first_illegal)
        self._all = np.arange(num_games)
        self._chances = [game.chance_scratch() for _ in range(threads)]  # of each thread its own

    def rows(self, id: Ids) -> NDArray[np.int64]:
        """Return the row numbers of `id`."""
        return self._all if id is None else rows_of(id, len(self._all))

    def array(self, values: Any) -> NDArray[Any]:
        """Return values as an array of this board."""
        return np.asarray(values)

    def numpy(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return an array of this board as NumPy's."""
        return array

    def is_whole(self, array: NDArray[Any]) -> bool:
        """Return whether an array is of whole numbers."""
        return array.dtype.kind in "iu"

    def whole(self, array: NDArray[Any]) -> NDArray[np.int64]:
        """Return whole numbers as kernels take them."""
        return np.ascontiguousarray(array, np.int64)

    def flags(self, shape: tuple[int, ...]) -> NDArray[np.bool_]:
        """Return flags that are all False."""
        return np.zeros(shape, np.bool_)  # several times as fast as `zeros_like`

    def places(self, flags: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the places of the True ones among flags [n]."""
        return np.flatnonzero(flags)

    def take(self, array: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return a copy of some rows of an array."""
        return array.take(rows, axis=0)  # copies whole rows three times as fast as indexing does

    def seed(self, rows: NDArray[np.int64], seeds: NDArray[np.uint64], determinizations: bool = False) -> None:
        """Set the random streams of some games, and those of what is imagined in them as well."""
        self.games.streams[rows] = seeds
        if determinizations:
            self.games.determinization_streams[rows] = seeds

    def streams(self, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the random streams of some games, [R]."""
        return self.games.streams[rows]

    def next_determinizations(self, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Move on the streams of what is imagined in some games, and return them, [R]."""
        self.games.determinization_streams[rows] += GAMMA
        return self.games.determinization_streams[rows]

    def reset(self, rows: NDArray[np.int64]) -> None:
        """Restart some games."""
        self._kernels.reset(self.games, rows, self._chances[0])

    def first_illegal(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> int:
        """Return the index in `rows` of the first action that may not be played, -1 if all may."""
        return self._first_illegal.call(self.games, rows, actions)

    def advance(self, rows: NDArray[np.int64], actions: NDArray[np.int64], restart: bool) -> Shown:
        """Play legal actions [R], restart games that end if `restart`, and return what the seats to move see."""
        game, games = self.game, self.games
        shown = Shown(
            seats=np.empty(len(rows), np.int64),
            obs=np.empty((len(rows), *game.observation_shape), game.observation_dtype),
            mask=np.empty((len(rows), game.num_actions), np.bool_),
            rewards=np.empty((len(rows), game.num_players), np.float32),
            ends=np.empty((len(rows), game.num_players), np.bool_),
        )
        advance, chances, gate = self._advance.call, self._chances, self._threads.gate
        self._threads.share(
            lambda thread, call: advance(
                games, rows, actions, restart, shown, chances[thread], RowShare(gate, thread, call)
            ),
            len(rows),
        )
        return shown

    def observe_movers(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return what the seats to move see, [R, O]."""
        obs = np.empty((len(rows), *self.game.observation_shape), self.game.observation_dtype)
        self._kernels.observe_movers(self.games.states, rows, self.games.seats, obs)
        return obs

    def observe_all(self, rows: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return what every seat sees, [R, P, O], and its legal actions, [R, P, A]."""
        shape = (len(rows), self.game.num_players)
        obs = np.empty((*shape, *self.game.observation_shape), self.game.observation_dtype)
        mask = np.empty((*shape, self.game.num_actions), np.bool_)
        self._kernels.observe_all(self.games.states, rows, obs, mask)
        return obs, mask

    def joint_masks(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return the legal actions of every seat where all choose at once, [R, P, A]."""
        masks = np.empty((len(rows), self.game.num_players, self.game.num_actions), np.bool_)
        self._kernels.joint_masks(self.games.states, rows, masks)
        return masks

    def records(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return a copy of some positions, records [R] of the game's own layout."""
        states: NDArray[Any] = self.games.states.take(rows)  # indexing copies records one field at a time
        return states

    def put_records(self, rows: NDArray[np.int64], records: NDArray[Any]) -> None:
        """Set some positions to records [R] of the game's own layout."""
        self.games.states[rows] = records
