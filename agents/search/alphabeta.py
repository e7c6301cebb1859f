"""`alphabeta:DEPTH` or `alphabeta:TIME`: minimax search with the cuts of alpha-beta.

Knuth and Moore, "An Analysis of Alpha-Beta Pruning", Artificial Intelligence 6 (1975), in its negamax form, deepened
ply by ply (Slate and Atkin 1977) with a table of positions met before and a history of moves that cut. A position at
the horizon is worth what the game's heuristic says, a draw where there is none. A result counts for less the further
away it is, and among the moves of the highest value each has the same chance. Where chance moves, all its outcomes are
searched (expectimax): each of them counts as a ply.
"""

from typing import Any

import numpy as np

from agents.search.budget import read_budget, require_positive, time_limit
from agents.search.memory import bytes_of
from agents.search.positions import positions, require_searchable
from arena.data.batch import Batch
from arena.policy.kinds import AgentKind
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from games.engine.compiler import instantiate
from games.engine.game import Game

DEFAULT_DEPTH = 4
QUICK_DEPTH = 4
"""Up to this depth moves come so fast that many games side by side go faster than one after the other."""
DEEPEST = 64
"""Where time is the limit."""
LINE = 8
"""Actions told of the line that is expected."""
TABLE_BITS = range(10, 21)
"""Size of the table, by depth: 2^10 entries for one ply, four times as many for each more, up to 2^20 (24 MB)."""


class AlphaBetaPolicy(Policy):
    """For two-player zero-sum games of perfect information, chance or not.

    It looks `depth` plies ahead, or as far as it gets in `seconds`; then equal seeds do not mean equal moves.
    """

    needs_state = True

    def __init__(
        self,
        game: Game,
        depth: int | None = None,
        seconds: float | None = None,
        seed: int | np.random.Generator | None = None,
    ):
        require_searchable(game, "alphabeta", chance=True)
        require_positive("alphabeta", depth=depth, seconds=seconds)
        self.one_at_a_time = depth is None or depth > QUICK_DEPTH
        self._game = game
        self._seconds = seconds
        self._plies = plies = min(depth or DEEPEST, game.max_length)
        kernels = instantiate("agents.search.minimax", game)
        self._kernel = kernels.search_all
        stack = np.empty(plies + 1, game.state_dtype)
        self._scratch = (
            np.zeros(1 << TABLE_BITS[min(2 * plies, len(TABLE_BITS)) - 1], kernels.ENTRY),
            np.empty((2, game.num_actions), np.int64),
            stack,
            bytes_of(stack),
            np.empty(plies, kernels.NODE),
            np.empty((plies, max(game.num_actions, game.num_outcomes)), np.int16),
            np.empty((plies, game.num_outcomes)) if game.has_chance else None,
            np.empty(game.num_actions, np.bool_),
            np.empty(2, np.float32),
        )
        self._searches = 0
        middle = (game.num_actions - 1) / 2
        self._order = np.argsort(np.abs(np.arange(game.num_actions) - middle), kind="stable")
        self._uniform = RandomPolicy(seed)
        self._stop = np.zeros(1, np.bool_)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw `act` [n]; `probs` [n, A] are equal on the best actions, `value` [n] is what they are worth.

        `depth` (int [n]) is how far ahead it has looked, `pv` (int [n, L], -1 after the last) the line that it expects
        after one of the best actions.
        """
        states = positions(batch, self._game, "alphabeta")
        n = len(states)
        best, value = np.empty((n, self._game.num_actions), np.bool_), np.empty(n)
        depth, pv = np.empty(n, np.int64), np.empty((n, LINE), np.int32)
        parts = [slice(0, n)] if self._seconds is None else [slice(i, i + 1) for i in range(n)]
        for rows in parts:
            with time_limit(self._seconds) as self._stop:
                told = best[rows], value[rows], depth[rows], pv[rows]
                self._kernel(states[rows], self._plies, self._order, *told, *self._scratch, self._searches, self._stop)
            self._searches += len(states[rows])
        result = self._uniform.forward(Batch(obs=Batch(mask=best)))
        result.value, result.depth, result.pv = value, depth, pv
        return result

    def hurry(self) -> None:
        """End the search that is under way."""
        self._stop.fill(True)

    def reset(self, seed: int | None = None) -> None:
        """With a seed, start the random stream anew."""
        self._uniform.reset(seed)


def make(game: Game, argument: str) -> AlphaBetaPolicy:
    """Seat an alpha-beta agent; the argument is its depth in plies, or how long a move takes."""
    budget = read_budget("alphabeta", "depth", argument, DEFAULT_DEPTH)
    return AlphaBetaPolicy(game, budget.count, budget.seconds, seed=0)


AGENT = AgentKind(summary="minimax with alpha-beta cuts, deeper and deeper", make=make, argument="DEPTH or TIME")
