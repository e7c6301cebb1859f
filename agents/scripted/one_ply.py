"""`one-ply`: wins if it can, blocks if it must, and plays anything otherwise.

If an action wins at once, it plays such an action. Else, if the opponent threatens an action (one that would win at
once after everything that this player could do but that action itself), it plays such an action. Else every legal
action has the same chance: it does not see that a move of its own may enable the opponent to win.
"""

from typing import Any

import numpy as np

from agents.search.positions import positions, require_searchable
from arena.data.batch import Batch
from arena.errors import UsageError
from arena.policy.kinds import AgentKind
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from games.engine.compiler import instantiate
from games.engine.game import Game


class OnePlyPolicy(Policy):
    """Looks one ply ahead for each player; for two-player zero-sum games of perfect information."""

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
        self._uniform = RandomPolicy(seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw `act` [n]; `probs` [n, A] are equal on the actions that it chooses from."""
        states = positions(batch, self._game, "one-ply")
        candidates = np.empty((len(states), self._game.num_actions), np.bool_)
        self._kernel(states, candidates, *self._scratch)
        return self._uniform.forward(Batch(obs=Batch(mask=candidates)))

    def reset(self, seed: int | None = None) -> None:
        """With a seed, start the random stream anew."""
        self._uniform.reset(seed)


def make(game: Game, argument: str) -> OnePlyPolicy:
    """Seat a one-ply agent; it takes no argument."""
    if argument:
        raise UsageError(f"'one-ply' takes no argument, not {argument!r}")
    return OnePlyPolicy(game, seed=0)


AGENT = AgentKind(summary="wins if it can, blocks if it must, otherwise random", make=make)
