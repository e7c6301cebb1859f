"""`perfect`: plays exactly, in games small enough to be searched to the end.

Connect Four up to 7 x 6 with k=4; tic-tac-toe on boards of up to 20 cells; pig for two; kalah as first player from the
start, and with 36 seeds in the houses or fewer; endgames of othello. Before these it plays as `alphabeta:4` does.
Without chance it wins as early and loses as late as possible (in kalah and othello only the result counts), and it
draws uniformly among equally good moves (but for kalah's opening book, of one move each). With a clock, it plays as
`alphabeta:4` where its search would take longer than the clock has for a move: in a few early positions of Connect Four
for minutes.

In small games with hidden information, such as kuhn_poker and leduc_poker, it plays an equilibrium strategy, which no
opponent can push below the game's value.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.perfect.solvers import SOLVERS, PerfectSolver, seconds_by_clock
from agents.search.alphabeta import AlphaBetaPolicy
from agents.search.positions import positions
from agents.solvers.tabular import solve_small_game
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from games.engine.game import TERMINAL, Game, State

EARLIER_DEPTH = 4
"""Depth in plies of the search in positions that cannot be solved."""


class PerfectPolicy(Policy):
    """Plays a best move; raises `UsageError` for a game or board that it cannot solve."""

    needs_state = True
    one_at_a_time = True

    def __init__(self, game: Game, seed: int | np.random.Generator | None = None):
        if game.name not in SOLVERS:
            able = ", ".join(sorted(SOLVERS))
            raise UsageError(
                f"perfect cannot solve {game.name}; it plays {able}, and small games with hidden information"
            )
        self._game = game
        self._solver: PerfectSolver = SOLVERS[game.name](game)
        self._earlier = AlphaBetaPolicy(game, EARLIER_DEPTH)
        self._uniform = RandomPolicy(seed=seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw `act` [n]; `probs` [n, A] is uniform on the best actions, `value` [n] the return, nan where unknown."""
        states = positions(batch, self._game, "perfect")
        best = np.ones((len(states), self._game.num_actions), np.bool_)
        value = np.zeros(len(states))
        for row in range(len(states)):
            if states[row]["current_player"] != TERMINAL:
                allowed_s = seconds_by_clock(self._game, batch.obs, row)
                solved = self._solver.best(states[row]) if self._solver.seconds(states[row]) <= allowed_s else None
                best[row], value[row] = solved or self._guess(states[row])
        result = self._uniform.forward(Batch(obs=Batch(mask=best)))
        if not np.isnan(value).any():
            result.value = value
        return result

    def values(self, states: NDArray[Any]) -> NDArray[np.float64]:
        """Return the returns [n] of unfinished positions [n] for the seats to move; nan where that takes long."""
        values = [self._solver.value(state) for state in states]
        return np.array([np.nan if value is None else value for value in values])

    def _guess(self, state: State) -> tuple[NDArray[np.bool_], float]:
        """Return the best-looking actions of positions that cannot be solved."""
        batch = Batch(obs=Batch(state=state.reshape(1)))
        return self._earlier.forward(batch).probs[0] > 0, np.nan

    def reset(self, seed: int | None = None) -> None:
        """Restart the random stream if a seed is given."""
        self._uniform.reset(seed)


def make(game: Game, argument: str) -> Policy:
    """Make a perfect agent; it takes no argument."""
    if argument:
        raise UsageError(f"'perfect' takes no argument, not {argument!r}")
    if game.information_shape is not None:
        return solve_small_game(game, seed=0)
    return PerfectPolicy(game, seed=0)
