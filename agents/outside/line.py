"""Moves of a game in its own notation, replayed for external programs."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from arena.base.errors import UsageError
from games.engine.batch import new_games
from games.engine.compiler import kernels
from games.engine.game import Game, State, position_bytes


class ReplayedGame:
    """Moves of one game so far; for games without chance.

    Args:
        game: the game.
        start: position in which it began, shape (); None for the usual one.

    """

    def __init__(self, game: Game, start: State | None = None):
        self._game = game if start is None else replace(game, initial=start)
        self.start = self._game.initial
        """Position before the moves, shape ()."""
        text, usual = game.position_text, position_bytes(self.start) == position_bytes(game.initial)
        self.start_text = None if usual or text is None else text(self.start)
        """The same in the game's own text; None for the usual one."""
        self._kernels = kernels(game)
        self._row = np.zeros(1, np.int64)
        self._obs = np.empty((1, *game.observation_shape), game.observation_dtype)
        self._rewards = np.empty((1, game.num_players), np.float32)
        self._chances = game.chance_scratch()
        self._begin()

    def _begin(self) -> None:
        self.moves: list[int] = []
        self.texts: list[str] = []
        """Moves in the game's notation."""
        self._games = new_games(self._game, 1)

    @property
    def state(self) -> State:
        """Return the position after the moves, shape ()."""
        return self._games.states[0]

    def read_on(self, texts: Sequence[str], legal: Sequence[int]) -> tuple[int, ...]:
        """Return actions from here on, up to the first text that cannot be read or names an illegal one.

        `legal` are the legal actions here.
        """
        further = ReplayedGame(self._game, self.state.copy())
        for text in texts:
            try:
                action = self._game.parse_action(further.state, text)
            except UsageError:
                break
            if action not in legal:
                break
            further.follow([*further.moves, action])
            games = further._games
            legal = [] if games.over[0] else np.flatnonzero(games.mask[0]).tolist()
        return tuple(further.moves)

    def follow(self, moves: Sequence[int]) -> None:
        """Advance to the position after `moves`; restart if they do not continue the known ones."""
        if list(moves[: len(self.moves)]) != self.moves:
            self._begin()
        for move in moves[len(self.moves) :]:
            self.texts.append(self._game.action_text(self.state, move))
            self.moves.append(move)
            self._kernels.step(self._games, self._row, np.array([move]), self._obs, self._rewards, self._chances)
