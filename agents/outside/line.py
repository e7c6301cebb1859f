"""Games as they are told to a program: replayed move by move, in the game's own notation."""

from collections.abc import Sequence

import numpy as np

from games.engine.compiler import kernels
from games.engine.game import Game, State


class Line:
    """The moves of one game so far, for games without chance."""

    def __init__(self, game: Game):
        self._game = game
        self._kernels = kernels(game)
        self._obs = np.empty((1, *game.observation_shape), game.observation_dtype)
        self._mask = np.empty((1, game.num_actions), np.bool_)
        self._rewards = np.empty((1, game.num_players), np.float32)
        self._begin()

    def _begin(self) -> None:
        self.moves: list[int] = []
        self.texts: list[str] = []
        """The moves in the game's notation."""
        self._states = self._game.initial.copy().reshape(1)

    @property
    def state(self) -> State:
        """The position after the moves, shape ()."""
        return self._states[0]

    def follow(self, moves: Sequence[int]) -> None:
        """Go on to the position after `moves`; from the start again if they are another game's."""
        if list(moves[: len(self.moves)]) != self.moves:
            self._begin()
        for move in moves[len(self.moves) :]:
            self.texts.append(self._game.action_text(self.state, move))
            self.moves.append(move)
            row, seats, over = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.bool_)
            played = np.array([move])
            self._kernels.step(
                self._states,
                row,
                played,
                seats,
                self._mask,
                over,
                self._obs,
                self._rewards,
                self._game.chance_scratch(),
            )
