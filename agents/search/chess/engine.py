"""`alphabeta` in chess: the search of `tree`, as an agent."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search.budget import LINE, Budget, require_budget
from agents.search.chess.quiescence import MATED
from agents.search.chess.root import RootResult, Scratch
from agents.search.chess.space import PLIES, forget, new_space
from agents.search.chess.weights import new_weights
from agents.search.deadline import bring_forward, new_deadline
from agents.search.positions import positions
from agents.search.time_management import budget_for
from arena.data.batch import Batch
from arena.policy.centipawns import expected_return
from arena.policy.protocol import Policy
from games.engine.compiler import instantiate
from games.engine.game import TERMINAL, Game
from games.engine.jit import Unchecked

FIELDS = ("boards", "ep_files", "castling", "turn", "clock", "length")
"""Fields of a record of chess that the search reads."""
TABLE_BITS = range(12, 22)
"""Base-2 logarithm of the table's size: 12 for one ply, then one more a ply, up to 21 (48 MB), also with a clock."""
DEFAULT_DEPTH = 4


def is_chess(game: Game) -> bool:
    """Return whether a game is chess, its records those that the search reads."""
    return game.name == "chess" and set(FIELDS) <= set(game.state_dtype.names or ())


class ChessSearchPolicy(Policy):
    """Alpha-beta search for chess, `depth` plies ahead (4) and on to quiet positions, or as deep as it gets in time.

    The time is that of `seconds`, or its share of a clock. With a depth, the answer to a position is always the same;
    with a time, what was searched earlier in a game is kept. `weights` are those of `agents.search.chess.weights`, for
    its evaluation.
    """

    needs_state = True
    one_at_a_time = True
    obeys = frozenset({"depth"})

    def __init__(
        self, game: Game, depth: int | None = None, seconds: float | None = None, weights: NDArray[Any] | None = None
    ):
        self._budget = require_budget("alphabeta", DEFAULT_DEPTH, seconds, depth=depth)
        self._game = game
        self._kernel = Unchecked(instantiate("agents.search.chess.root", game).search_position)
        self._space = new_space(_table_bits(self._budget), new_weights() if weights is None else weights)
        self._scratch = Scratch(np.empty(2, game.state_dtype), np.empty(game.num_actions, np.bool_))
        self._deadline = new_deadline(None)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Search every row.

        Returns `act` [n]; `probs` [n, A], 1 for that action (uniform where the game is over); `value` [n], the expected
        return; `depth` [n] in plies, of the last complete search; `pv` [n, L], the principal variation, then -1.
        """
        states = np.ascontiguousarray(positions(batch, self._game, "alphabeta")).reshape(-1)
        n = len(states)
        result = Batch(act=np.zeros(n, np.int64), value=np.zeros(n), depth=np.zeros(n, np.int64))
        result.probs = np.full((n, self._game.num_actions), 1 / self._game.num_actions)
        result.pv = np.full((n, LINE), -1, np.int32)
        for row in range(n):
            if states[row]["current_player"] != TERMINAL:
                budget = budget_for(self._game, self._budget, batch.obs, row, "depth")
                answer = self._search(states[row : row + 1], budget)
                result.act[row] = answer.pv[0]
                result.value[row], result.depth[row] = _expected(int(answer.results[0])), answer.results[1]
                result.probs[row] = np.arange(self._game.num_actions) == answer.pv[0]
                result.pv[row] = answer.pv
        return result

    def _search(self, state: NDArray[Any], budget: Budget) -> RootResult:
        """Search one position [1] within a budget."""
        answer = RootResult(np.zeros(3, np.int64), np.full(LINE, -1, np.int32))
        if budget.seconds is None:
            forget(self._space)
        elif len(self._space.table) < 1 << TABLE_BITS[-1]:
            self._space = new_space(TABLE_BITS[-1], self._space.weights)
        plies = min(budget.count or PLIES // 2, PLIES // 2)
        arguments = state, plies, answer, self._space, self._scratch
        self._kernel.prepare(*arguments, self._deadline)
        self._deadline = new_deadline(budget.seconds)
        self._kernel.call(*arguments, self._deadline)
        return answer

    def hurry(self) -> None:
        """End the current search."""
        bring_forward(self._deadline)

    def reset(self, seed: int | None = None) -> None:
        """Forget earlier games."""
        forget(self._space)


def _table_bits(budget: Budget) -> int:
    return TABLE_BITS[min(budget.count or len(TABLE_BITS), len(TABLE_BITS)) - 1]


def _expected(value: int) -> float:
    """Return the expected return of a value in centipawns; 1 or -1 for a mate."""
    return float(np.sign(value)) if abs(value) > MATED else expected_return(value)
