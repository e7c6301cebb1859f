"""`perfect`: plays exactly, where a game is small enough to be searched to its end.

Connect Four up to 7 x 6 with four in a line; tic-tac-toe on boards of up to 20 cells; endgames of othello, before which
it plays as `alphabeta:4` does. It wins as early and loses as late as it can (in othello it looks at the result alone),
and among equally good moves each has the same chance. Small games that hide something, such as kuhn_poker and
leduc_poker, it plays by an equilibrium: no opponent can hold it below the game's value.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from agents.equilibrium.tabular import solve_at_once
from agents.perfect.connect_four import ConnectFourSolver
from agents.perfect.othello import OthelloSolver
from agents.perfect.tic_tac_toe import TicTacToeSolver
from agents.search.alphabeta import AlphaBetaPolicy
from agents.search.positions import positions
from arena.data.batch import Batch
from arena.errors import UsageError
from arena.policy.kinds import AgentKind
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from games.engine.game import TERMINAL, Game, State


class Solver(Protocol):
    """Knows the positions of one game."""

    def best(self, state: State) -> tuple[NDArray[np.bool_], float] | None:
        """The best actions [A] of an unfinished position and the return they lead to; None where that is unknown."""

    def value(self, state: State) -> float | None:
        """The return of an unfinished position for the seat to move, by itself; None where that takes long."""


SOLVERS = {"connect_four": ConnectFourSolver, "tic_tac_toe": TicTacToeSolver, "othello": OthelloSolver}
EARLIER_DEPTH = 4
"""Plies that it looks ahead where the end is too far away."""


class PerfectPolicy(Policy):
    """Plays a best move; `UsageError` for a game, or a board, that it cannot solve."""

    needs_state = True
    one_at_a_time = True

    def __init__(self, game: Game, seed: int | np.random.Generator | None = None):
        if game.name not in SOLVERS:
            able = ", ".join(sorted(SOLVERS))
            raise UsageError(f"perfect cannot solve {game.name}; it plays {able}, and small games that hide something")
        self._game = game
        self._solver: Solver = SOLVERS[game.name](game)
        self._earlier = AlphaBetaPolicy(game, EARLIER_DEPTH)
        self._uniform = RandomPolicy(seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw `act` [n]; `probs` [n, A] are equal on the best actions, `value` [n] is the return (if all is known)."""
        states = positions(batch, self._game, "perfect")
        best = np.ones((len(states), self._game.num_actions), np.bool_)
        value = np.zeros(len(states))
        for row in range(len(states)):
            if states[row]["current_player"] != TERMINAL:
                best[row], value[row] = self._solver.best(states[row]) or self._guess(states[row])
        result = self._uniform.forward(Batch(obs=Batch(mask=best)))
        if not np.isnan(value).any():
            result.value = value
        return result

    def values(self, states: NDArray[Any]) -> NDArray[np.float64]:
        """The returns [n] of unfinished positions [n] for the seats to move; nan where finding out takes long."""
        found = [self._solver.value(state) for state in states]
        return np.array([np.nan if value is None else value for value in found])

    def _guess(self, state: State) -> tuple[NDArray[np.bool_], float]:
        """What looks best where the end is too far away; its value is not known."""
        seen = Batch(obs=Batch(state=state.reshape(1)))
        return self._earlier.forward(seen).probs[0] > 0, np.nan

    def reset(self, seed: int | None = None) -> None:
        """With a seed, start the random stream anew."""
        self._uniform.reset(seed)


def make(game: Game, argument: str) -> Policy:
    """Seat a perfect agent; it takes no argument."""
    if argument:
        raise UsageError(f"'perfect' takes no argument, not {argument!r}")
    if game.information_shape is not None:
        return solve_at_once(game, seed=0)
    return PerfectPolicy(game, seed=0)


AGENT = AgentKind(summary="plays exactly: connect_four, small tic_tac_toe, endgames of othello, small poker", make=make)
