"""`GameRecorder`: records the training games of one board, so that people can watch them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.match.verdict import MatchRecord, Verdict
from games.engine.actions import Action
from games.engine.game import Game


class GameRecorder:
    """Records the games of one board; the `recorder` of a `VectorGames`.

    Args:
        game: the game.
        names: returns the names of the players on a board by seat; called after the first move of a game is chosen.
        board: the board.

    """

    def __init__(self, game: Game, names: Callable[[int], Sequence[str]], board: int = 0):
        self.board = board
        """The board that it follows."""
        self.latest: MatchRecord | None = None
        """The latest finished game of the board, for `arena.match.replay`; None before the first."""
        self._game, self._names = game, names
        self._players: tuple[str, ...] = ()
        self._seed: int | None = None  # of the current game; None if recording did not begin with its first move
        self._actions: list[Action] = []
        self._returns = np.zeros(game.num_players)

    def begin(self, seed: int) -> None:
        """Record a new game."""
        self._seed = seed
        self._players, self._actions, self._returns = (), [], np.zeros(self._game.num_players)

    def open(self, actions: Sequence[Action], rewards: NDArray[Any]) -> None:
        """Add the random moves with which the game begins, and their rewards [P]."""
        self._actions.extend(actions)
        self._returns += rewards

    def play(self, action: Action, rewards: NDArray[Any], over: bool) -> None:
        """Add an action and its rewards [P]; keep the game if it is over."""
        if self._seed is None:
            return
        if not self._players:
            self._players = tuple(self._names(self.board))
        self._actions.append(action)
        self._returns += rewards
        if over:
            verdict = Verdict(tuple(self._returns.tolist()))
            moves = tuple(self._actions)
            self.latest = MatchRecord(self._game.label, self._players, self._seed, (), moves, verdict)

    def interrupt(self) -> None:
        """Stop recording until the next game begins."""
        self._seed = None
