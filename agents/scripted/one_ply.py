"""`one-ply`: wins if possible, blocks an immediate threat, and otherwise plays at random.

If an action wins at once, it plays such an action. Otherwise, if the opponent threatens to win at once with an action,
whatever else this player does, it plays that action. Otherwise it draws a legal action uniformly, which may enable the
opponent to win.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search.positions import positions, require_copied, require_searchable
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from games.engine.compiled import CompiledGame
from games.engine.compiler import instantiate
from games.engine.game import TERMINAL, Game, Playable


class OnePlyPolicy(Policy):
    """One-ply lookahead for each player; for two-player zero-sum games of perfect information."""

    needs_state = True

    def __init__(self, game: Game, seed: int | np.random.Generator | None = None):
        require_searchable(game, "one-ply")
        self._game = game
        self._candidates = _by_rules(game) if isinstance(game, CompiledGame) else _by_copies(game)
        self._uniform = RandomPolicy(seed=seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw `act` [n]; `probs` [n, A] is uniform on the candidate actions."""
        states = positions(batch, self._game, "one-ply")
        return self._uniform.forward(Batch(obs=Batch(mask=self._candidates(states))))

    def reset(self, seed: int | None = None) -> None:
        """Restart the random stream if a seed is given."""
        self._uniform.reset(seed)


Candidates = Callable[[NDArray[Any]], NDArray[np.bool_]]
"""Returns the actions to draw from [n, A] in positions [n]; all in a finished game."""


def _by_rules(game: Game) -> Candidates:
    """Return the kernel that finds candidates by the rules of a game."""
    kernel = instantiate("agents.search.kernels", game).one_ply
    scratch = (np.empty(3, game.state_dtype), np.empty((2, game.num_actions), np.bool_), np.empty(2, np.float32))

    def candidates(states: NDArray[Any]) -> NDArray[np.bool_]:
        mask = np.empty((len(states), game.num_actions), np.bool_)
        kernel(states, mask, *scratch)
        return mask

    return candidates


def _by_copies(game: Game) -> Candidates:
    """Return a function that finds the same candidates by copies of positions."""
    require_copied(game, "one-ply")

    def candidates(states: NDArray[Any]) -> NDArray[np.bool_]:
        mask = np.ones((len(states), game.num_actions), np.bool_)
        for row in np.flatnonzero(states["current_player"] != TERMINAL).tolist():
            position = game.playable(states[row], 0)
            chosen = _wins(position) or _blocks(position) or np.flatnonzero(position.mask).tolist()
            mask[row] = False
            mask[row, chosen] = True
        return mask

    return candidates


def _wins(position: Playable) -> list[int]:
    """Return the actions that win at once."""
    return [action for action in np.flatnonzero(position.mask).tolist() if _wins_by(position, action)]


def _wins_by(position: Playable, action: int) -> bool:
    """Return whether an action ends the game with a win for the seat that plays it."""
    after = position.copy()
    return bool(after.step(action)[position.seat] > 0) and after.over


def _blocks(position: Playable) -> list[int]:
    """Return the actions with which the other seat would win at once whatever else this seat did."""
    threats = np.flatnonzero(position.mask).tolist()
    for action in threats:
        after = position.copy()
        after.step(action)
        replies = after.seat != position.seat and not after.over
        threats = [
            reply for reply in threats if reply == action or (replies and after.mask[reply] and _wins_by(after, reply))
        ]
        if not threats:
            break
    return threats


def make(game: Game, argument: str) -> OnePlyPolicy:
    """Make a one-ply agent; it takes no argument."""
    if argument:
        raise UsageError(f"'one-ply' takes no argument, not {argument!r}")
    return OnePlyPolicy(game, seed=0)
