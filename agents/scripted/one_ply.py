"""`one-ply`: wins if possible, blocks an immediate threat, and otherwise plays at random.

If an action wins at once, it plays such an action. Otherwise, if the opponent threatens to win at once with an action,
whatever else this player does, it plays that action. Otherwise it draws a legal action uniformly, which may enable the
opponent to win.
"""

from typing import Any

import numpy as np

from agents.search.positions import positions, require_searchable
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from arena.policy.registration import AgentKind
from games.engine.compiler import instantiate
from games.engine.game import Game


class OnePlyPolicy(Policy):
    """One-ply lookahead for each player; for two-player zero-sum games of perfect information."""

    needs_state = True

    def __init__(self, game: Game, seed: int | np.random.Generator | None = None):
        require_searchable(game, "one-ply")
        self._game = game
        self._kernel = instantiate("agents.search.kernels", game).one_ply
        self._scratch = (
            np.empty(3, game.state_dtype),
            np.empty((2, game.num_actions), np.bool_),
            np.empty(2, np.float32),
        )
        self._uniform = RandomPolicy(seed=seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw `act` [n]; `probs` [n, A] is uniform on the candidate actions."""
        states = positions(batch, self._game, "one-ply")
        candidates = np.empty((len(states), self._game.num_actions), np.bool_)
        self._kernel(states, candidates, *self._scratch)
        return self._uniform.forward(Batch(obs=Batch(mask=candidates)))

    def reset(self, seed: int | None = None) -> None:
        """Restart the random stream if a seed is given."""
        self._uniform.reset(seed)


def make(game: Game, argument: str) -> OnePlyPolicy:
    """Make a one-ply agent; it takes no argument."""
    if argument:
        raise UsageError(f"'one-ply' takes no argument, not {argument!r}")
    return OnePlyPolicy(game, seed=0)


AGENT = AgentKind(summary="wins if it can, blocks if it must, otherwise plays at random", make=make)
