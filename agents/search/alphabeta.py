"""`alphabeta:DEPTH` or `alphabeta:TIME`: minimax search with alpha-beta pruning.

Knuth and Moore, "An Analysis of Alpha-Beta Pruning", Artificial Intelligence 6 (1975), as negamax with iterative
deepening (Slate and Atkin 1977), a transposition table and a history heuristic. A position at the horizon has the value
of the game's heuristic, or 0 where the game has none. Results are discounted by their distance, so that quick wins are
preferred. Moves of equal value are drawn uniformly. All outcomes of chance are searched (expectimax); each counts as a
ply. Chess is searched by `agents.search.chess`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search.budget import Budget, read_budget, require_budget
from agents.search.chess.engine import ChessSearchPolicy, is_chess
from agents.search.chess.weights import PARAMETERS, new_weights
from agents.search.deadline import bring_forward, new_deadline
from agents.search.minimax import Evaluations, new_workspace
from agents.search.positions import positions, require_searchable
from agents.search.time_management import budget_for
from arena.data.batch import Batch
from arena.policy.clock import read_clock
from arena.policy.parameters import Parameter, read_parameters, split_settings
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

    Searches `depth` plies ahead (4), or as deep as it gets in `seconds`, or in its share of a clock. With a time limit,
    equal seeds need not give equal moves.
    """

    needs_state = True
    obeys = frozenset({"depth"})

    def __init__(
        self,
        game: Game,
        depth: int | None = None,
        seconds: float | None = None,
        seed: int | np.random.Generator | None = None,
    ):
        require_searchable(game, "alphabeta", chance=True)
        self._budget = require_budget("alphabeta", DEFAULT_DEPTH, seconds, depth=depth)
        self.one_at_a_time = self._budget.count is None or self._budget.count > QUICK_DEPTH
        self._game, self._room = game, 0
        self._kernel = Unchecked(instantiate("agents.search.minimax", game).search_all)
        self._make_room(self._plies(self._budget))
        self._searches = 0
        self._uniform = RandomPolicy(seed=seed)
        self._deadline = new_deadline(None)

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
        timed = self._budget.seconds is not None or read_clock(batch.obs) is not None
        for rows in [slice(i, i + 1) for i in range(n)] if timed else [slice(0, n)]:
            part = Evaluations._make(array[rows] for array in evaluations)
            self._search(states[rows], budget_for(self._game, self._budget, batch.obs, rows.start, "depth"), part)
        result = self._uniform.forward(Batch(obs=Batch(mask=evaluations.best)))
        result.value, result.depth, result.pv = evaluations.value, evaluations.depth, evaluations.pv
        return result

    def _search(self, states: NDArray[Any], budget: Budget, evaluations: Evaluations) -> None:
        """Search positions [n] within a budget."""
        plies = self._plies(budget)
        self._make_room(plies)
        arguments = states, plies, evaluations, self._workspace, self._chances, self._searches
        self._kernel.prepare(*arguments, self._deadline)
        self._deadline = new_deadline(budget.seconds)
        self._kernel.call(*arguments, self._deadline)
        self._searches += len(states)

    def _plies(self, budget: Budget) -> int:
        """Return the largest depth within a budget."""
        return min(budget.count or MOST_PLIES, self._game.max_length)

    def _make_room(self, plies: int) -> None:
        """Make the arrays of a search of so many plies, unless they are there."""
        if plies > self._room:
            self._room, game = plies, self._game
            self._workspace = new_workspace(game, plies, TABLE_BITS[min(2 * plies, len(TABLE_BITS)) - 1])
            self._chances = np.empty((plies, game.num_outcomes)) if game.has_chance else None

    def hurry(self) -> None:
        """End the current search."""
        bring_forward(self._deadline)

    def reset(self, seed: int | None = None) -> None:
        """Restart the random stream if a seed is given."""
        self._uniform.reset(seed)


def parameters(game: Game, argument: str) -> tuple[Parameter, ...]:
    """Return the parameters of the search of a game: in chess the weights of its evaluation."""
    return PARAMETERS if is_chess(game) else ()


def make(game: Game, argument: str) -> AlphaBetaPolicy | ChessSearchPolicy:
    """Make an alpha-beta agent, in chess that of `agents.search.chess`.

    The argument is a depth in plies or a time and, in chess, weights of the evaluation: `6,bishop_pair=40`.
    """
    amount, settings = split_settings(argument)
    budget = read_budget("alphabeta", "depth", amount, DEFAULT_DEPTH)
    depth = None if budget.usual else budget.count
    values = read_parameters(f"alphabeta in {game.name}", settings, parameters(game, argument))
    if is_chess(game):
        return ChessSearchPolicy(game, depth, budget.seconds, new_weights(values))
    return AlphaBetaPolicy(game, depth, budget.seconds, seed=0)
