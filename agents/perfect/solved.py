"""`solved:AGENT`: plays as another agent, and exactly where a solver knows the best moves within a second.

These are endgames of othello and Connect Four, small tic-tac-toe, and forced wins in gomoku. Where the solver finds
some moves better than others, one of them is drawn; the agent decides otherwise. With a clock, the solver takes no more
than what the clock has for a move.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.perfect.solvers import SOLVERS, PerfectSolver, seconds_by_clock
from agents.search.positions import positions
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.data.rows import as_array
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from arena.policy.registry import make_agent
from arena.policy.wrapping import WrappingPolicy
from games.engine.game import TERMINAL, Game, State

SOLVING_S = 1.0
"""Seconds that the solver may take for a move, about."""


class SolvedPolicy(WrappingPolicy):
    """Wraps a policy and plays a best move where the solver knows them.

    Args:
        game: the game, of `agents.perfect.solvers`. Raises `UsageError` for another game or board.
        policy: the wrapped policy.
        seed: of draws among equally good moves.

    """

    def __init__(self, game: Game, policy: Policy, seed: int | np.random.Generator | None = None):
        if game.name not in SOLVERS:
            raise UsageError(f"solved: nothing of {game.name} can be solved; it plays {', '.join(sorted(SOLVERS))}")
        super().__init__(policy)
        self.needs_state = True  # type: ignore[misc]
        self.one_at_a_time = True
        self._game = game
        self._solver: PerfectSolver = SOLVERS[game.name](game)
        self._uniform = RandomPolicy(seed=seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Return `act` [n], and what the policy adds where it chose in all rows, or `probs` and `value` if in none."""
        states = positions(batch, self._game, "solved")
        best = np.ones((len(states), self._game.num_actions), np.bool_)
        value = np.full(len(states), np.nan)
        for row in np.flatnonzero(states["current_player"] != TERMINAL).tolist():
            # half of a clock's share: the agent may have to think as well
            allowed_s = min(SOLVING_S, seconds_by_clock(self._game, batch.obs, row) / 2)
            if self._solver.seconds(states[row]) <= allowed_s:
                self._solve(states[row], batch.obs.mask[row], best[row], value[row : row + 1])
        asked = np.flatnonzero(best.all(axis=1))
        if len(asked) == len(states):
            return self._policy.forward(batch, state)
        drawn = self._uniform.forward(Batch(obs=Batch(mask=best)))
        answer = self.answer_rows(batch, state, asked, as_array(drawn.act))
        if not len(asked):
            answer.probs, answer.value = drawn.probs, value
        return answer

    def _solve(
        self, state: State, mask: NDArray[np.bool_], best: NDArray[np.bool_], value: NDArray[np.float64]
    ) -> None:
        """Write the best actions [A] and the value [1] of a position, unless all legal actions are equally good."""
        solved = self._solver.best(state)
        if solved is not None and not (solved[0] == mask).all():
            best[:], value[0] = solved

    def reset(self, seed: int | None = None) -> None:
        """Forget earlier games; restart the random streams if a seed is given."""
        super().reset(seed)
        self._uniform.reset(None if seed is None else seed + 1)


def make(game: Game, argument: str) -> SolvedPolicy:
    """Make an agent from `AGENT`."""
    if not argument:
        raise UsageError("solved: give an agent, as in solved:mcts:1000")
    return SolvedPolicy(game, make_agent(argument, game), seed=0)
