"""`solved:AGENT`: plays as another agent, and exactly where a solver knows the best moves within a second.

These are endgames of othello and Connect Four, small tic-tac-toe, and forced wins in gomoku. Where the solver finds
some moves better than others, one of them is drawn; the agent decides among equals. A choice of the agent by which the
opponent gets a forced win is replaced, if there is a better one. With a clock, the solver takes no more than half of
what the clock has for a move.
"""

from typing import Any

import numpy as np

from agents.perfect.solvers import FORCED, SOLVERS, PerfectSolver, seconds_by_clock
from agents.search.positions import positions
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.data.rows import as_array
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from arena.policy.registry import make_agent
from arena.policy.wrapping import WrappingPolicy
from games.engine.game import TERMINAL, Game

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
        if game.name not in SOLVERS | FORCED:
            able = ", ".join(sorted(SOLVERS | FORCED))
            raise UsageError(f"solved: nothing of {game.name} can be solved; it plays {able}")
        super().__init__(policy)
        self.needs_state = True  # type: ignore[misc]
        self.one_at_a_time = True
        self._game = game
        self._solver: PerfectSolver = (SOLVERS | FORCED)[game.name](game)
        self._uniform = RandomPolicy(seed=seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Return `act` [n], and what the policy adds where it chose in all rows, or `probs` and `value` if in none."""
        states = positions(batch, self._game, "solved")
        best, value = batch.obs.mask.copy(), np.full(len(states), np.nan)
        for row in np.flatnonzero(states["current_player"] != TERMINAL).tolist():
            # half of a clock's share: the agent may have to think as well
            allowed_s = min(SOLVING_S, seconds_by_clock(self._game, batch.obs, row) / 2)
            if self._solver.seconds(states[row]) <= allowed_s:
                best[row], value[row] = self._solver.best(states[row]) or (best[row], np.nan)
        drawn = self._uniform.forward(Batch(obs=Batch(mask=best)))
        has_choice = np.isnan(value) | (best == batch.obs.mask).all(axis=1)
        asked = np.flatnonzero(has_choice)
        if not len(asked):
            drawn.state, drawn.value = Batch() if state is None else state, value
            return drawn
        if len(asked) == len(states):
            answer = self._policy.forward(batch, state)
        else:
            answer = self.answer_rows(batch, state, asked, as_array(drawn.act))
        loses = has_choice & ~best[np.arange(len(states)), as_array(answer.act)]
        answer.act = np.where(loses, as_array(drawn.act), as_array(answer.act))
        return answer

    def reset(self, seed: int | None = None) -> None:
        """Forget earlier games; restart the random streams if a seed is given."""
        super().reset(seed)
        self._uniform.reset(None if seed is None else seed + 1)


def make(game: Game, argument: str) -> SolvedPolicy:
    """Make an agent from `AGENT`."""
    if not argument:
        raise UsageError("solved: give an agent, as in solved:mcts:1000")
    return SolvedPolicy(game, make_agent(argument, game), seed=0)
