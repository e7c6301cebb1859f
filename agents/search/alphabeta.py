"""`alphabeta:DEPTH`: minimax search to a fixed depth, with the cuts of alpha-beta.

Knuth and Moore, "An Analysis of Alpha-Beta Pruning", Artificial Intelligence 6 (1975), in its negamax form. A position
at the horizon counts as a draw: there is no heuristic. A result counts for less the further away it is, and among the
moves of the highest value each has the same chance.
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

DEFAULT_DEPTH = 4
QUICK_DEPTH = 4
"""Up to this depth moves come so fast that many games side by side go faster than one after the other."""


class AlphaBetaPolicy(Policy):
    """Looks `depth` plies ahead; for two-player zero-sum games of perfect information."""

    needs_state = True

    def __init__(self, game: Game, depth: int = DEFAULT_DEPTH, seed: int | np.random.Generator | None = None):
        require_searchable(game, "alphabeta")
        if depth < 1:
            raise UsageError(f"alphabeta: depth={depth} is not at least 1")
        self._game = game
        self.one_at_a_time = depth > QUICK_DEPTH
        kernels = instantiate("agents.search.kernels", game)
        self._kernel = kernels.alphabeta
        plies = min(depth, game.max_length)
        self._scratch = (
            np.empty(plies + 1, game.state_dtype),
            np.empty(plies, kernels.NODE),
            np.empty((plies, game.num_actions), np.bool_),
            np.empty(2, np.float32),
        )
        middle = (game.num_actions - 1) / 2
        self._order = np.argsort(np.abs(np.arange(game.num_actions) - middle), kind="stable")
        self._uniform = RandomPolicy(seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw `act` [n]; `probs` [n, A] are equal on the best actions, `value` [n] is what they are worth."""
        states = positions(batch, self._game, "alphabeta")
        best = np.empty((len(states), self._game.num_actions), np.bool_)
        value = np.empty(len(states))
        self._kernel(states, self._order, best, value, *self._scratch)
        result = self._uniform.forward(Batch(obs=Batch(mask=best)))
        result.value = value
        return result

    def reset(self, seed: int | None = None) -> None:
        """With a seed, start the random stream anew."""
        self._uniform.reset(seed)


def make(game: Game, argument: str) -> AlphaBetaPolicy:
    """Seat an alpha-beta agent; the argument is its depth in plies."""
    if not argument:
        return AlphaBetaPolicy(game, seed=0)
    if not (argument.isascii() and argument.isdecimal() and int(argument) >= 1):
        raise UsageError(f"alphabeta:{argument}: the depth is not a whole number of at least 1, as in alphabeta:4")
    return AlphaBetaPolicy(game, int(argument), seed=0)


AGENT = AgentKind(summary="minimax to a fixed depth with alpha-beta cuts", make=make, argument="DEPTH")
