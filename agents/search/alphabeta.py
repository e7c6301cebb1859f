"""`alphabeta:DEPTH` or `alphabeta:TIME`: minimax search with alpha-beta pruning.

Knuth and Moore, "An Analysis of Alpha-Beta Pruning", Artificial Intelligence 6 (1975), as negamax with iterative
deepening (Slate and Atkin 1977), a transposition table and a history heuristic. A position at the horizon has the value
of the game's heuristic, or 0 where the game has none. Results are discounted by their distance, so that quick wins are
preferred. Moves of equal value are drawn uniformly. All outcomes of chance are searched (expectimax); each counts as a
ply. Chess is searched by `agents.search.chess`.
"""

from typing import Any

import numpy as np

from agents.search.budget import read_budget, require_positive, time_limit
from agents.search.chess.engine import ChessSearchPolicy, is_chess
from agents.search.minimax import Evaluations, new_workspace
from agents.search.positions import positions, require_searchable
from arena.data.batch import Batch
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from games.engine.compiler import instantiate
from games.engine.game import Game
from games.engine.jit import Unchecked

DEFAULT_DEPTH = 4
QUICK_DEPTH = 4
"""Up to this depth, many games side by side are faster than one after the other."""
MOST_PLIES = 64
"""Largest depth in plies when a time limit ends the search."""
LINE = 8
"""Length of the principal variation that is returned."""
TABLE_BITS = range(10, 21)
"""Base-2 logarithm of the table's size, by depth: 10 for one ply, then 2 more a ply, up to 20 (24 MB)."""


class AlphaBetaPolicy(Policy):
    """Alpha-beta search for two-player zero-sum games of perfect information, with or without chance.

    Searches `depth` plies ahead, or as deep as it gets in `seconds`. With a time limit, equal seeds need not give equal
    moves.
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
        self._plies = plies = min(depth or MOST_PLIES, game.max_length)
        self._kernel = Unchecked(instantiate("agents.search.minimax", game).search_all)
        self._workspace = new_workspace(game, plies, TABLE_BITS[min(2 * plies, len(TABLE_BITS)) - 1])
        self._chances = np.empty((plies, game.num_outcomes)) if game.has_chance else None
        self._searches = 0
        self._uniform = RandomPolicy(seed=seed)
        self._stop = np.zeros(1, np.bool_)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Search every row and draw `act` [n] among the best actions.

        Returns `probs` [n, A], uniform on the best actions; `value` [n], their value; `depth` (int [n]), the depth of
        the last complete search; `pv` (int [n, L], -1 after the end), the principal variation of a best action.
        """
        states = np.ascontiguousarray(positions(batch, self._game, "alphabeta")).reshape(-1)
        n = len(states)
        evaluations = Evaluations(
            best=np.empty((n, self._game.num_actions), np.bool_),
            value=np.empty(n),
            depth=np.empty(n, np.int64),
            pv=np.empty((n, LINE), np.int32),
        )
        parts = [slice(0, n)] if self._seconds is None else [slice(i, i + 1) for i in range(n)]
        for rows in parts:
            part = Evaluations._make(array[rows] for array in evaluations)
            arguments = states[rows], self._plies, part, self._workspace, self._chances, self._searches
            self._kernel.prepare(*arguments, self._stop)
            with time_limit(self._seconds) as self._stop:
                self._kernel.call(*arguments, self._stop)
            self._searches += len(states[rows])
        result = self._uniform.forward(Batch(obs=Batch(mask=evaluations.best)))
        result.value, result.depth, result.pv = evaluations.value, evaluations.depth, evaluations.pv
        return result

    def hurry(self) -> None:
        """End the current search."""
        self._stop.fill(True)

    def reset(self, seed: int | None = None) -> None:
        """Restart the random stream if a seed is given."""
        self._uniform.reset(seed)


def make(game: Game, argument: str) -> AlphaBetaPolicy | ChessSearchPolicy:
    """Make an alpha-beta agent, in chess that of `agents.search.chess`; the argument is a depth in plies or a time."""
    budget = read_budget("alphabeta", "depth", argument, DEFAULT_DEPTH)
    if is_chess(game):
        return ChessSearchPolicy(game, budget.count, budget.seconds)
    return AlphaBetaPolicy(game, budget.count, budget.seconds, seed=0)
