"""`solved:AGENT`: plays as another agent, and exactly where a solver knows the best moves within a second.

These are endgames of othello, Connect Four and kalah (whose first player it wins for from the start), small
tic-tac-toe, pig for two, and forced wins in gomoku. Where the solver finds some moves better than others, one of them
is drawn; the agent decides among equals. A choice of the agent by which the opponent gets a forced win is replaced, if
there is a better one. With a clock, the solver takes no more than half of what the clock has for a move.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.perfect.solvers import FORCED, SOLVERS, ForcedWinSolver, MoveSolver, seconds_by_clock
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
MOST_TRIED = 8
"""Number of moves that are looked at for a reply that forces a win, at most."""


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
        self._forced: ForcedWinSolver | None = FORCED[game.name](game) if game.name in FORCED else None
        self._solver: MoveSolver = self._forced or SOLVERS[game.name](game)
        self._uniform = RandomPolicy(seed=seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Return `act` [n], and what the policy adds where it chose in all rows, or `probs` and `value` if in none."""
        states = positions(batch, self._game, "solved")
        solves = self._has_time(states, batch.obs)
        best, value = batch.obs.mask.copy(), np.full(len(states), np.nan)
        for row in np.flatnonzero(solves).tolist():
            best[row], value[row] = self._solver.best(states[row]) or (best[row], np.nan)
        drawn = self._uniform.forward(Batch(obs=Batch(mask=best)))
        has_choice = np.isnan(value) | (best == batch.obs.mask).all(axis=1)
        rows = np.flatnonzero(has_choice)
        if not len(rows):
            drawn.state, drawn.value = Batch() if state is None else state, value
            return drawn
        if len(rows) == len(states):
            answer = self._policy.forward(batch, state)
        else:
            answer = self.answer_rows(batch, state, rows, as_array(drawn.act))
        answer.act = act = as_array(answer.act).copy()
        for row in np.flatnonzero(has_choice & solves).tolist():
            liked = best[row] * answer.probs[row] if "probs" in answer else best[row]
            act[row] = self._safe(states[row], int(act[row]), liked if liked.any() else best[row])
        return answer

    def _has_time(self, states: NDArray[Any], obs: Batch) -> NDArray[np.bool_]:
        """Return in which unfinished positions [n] the solver may be asked."""
        result = states["current_player"] != TERMINAL
        for row in np.flatnonzero(result).tolist():
            # half of a clock's share: the agent may have to think as well
            allowed_s = min(SOLVING_S, seconds_by_clock(self._game, obs, row) / 2)
            result[row] = self._solver.seconds(states[row]) <= allowed_s
        return result

    def _safe(self, state: State, action: int, liked: NDArray[Any]) -> int:
        """Return an action that is not found to lose, the first by how much they are `liked` [A], `action` before all.

        Where `liked` is 0 an action is known to lose, or the agent did not consider it.
        """
        order = np.argsort(-liked.astype(np.float64), kind="stable")
        candidates = [one for one in dict.fromkeys([action, *order.tolist()]) if liked[one] > 0]
        if self._forced is not None:
            for place in range(MOST_TRIED):
                if place == len(candidates):
                    break
                if (reply := self._forced.refutation(state, candidates[place])) is None:
                    return candidates[place]
                if reply not in candidates[: place + 1]:  # where the opponent would win is often where to prevent it
                    candidates.insert(place + 1, reply)
        return candidates[0]

    def reset(self, seed: int | None = None) -> None:
        """Forget earlier games; restart the random streams if a seed is given."""
        super().reset(seed)
        self._uniform.reset(None if seed is None else seed + 1)


def make(game: Game, argument: str) -> SolvedPolicy:
    """Make an agent from `AGENT`."""
    if not argument:
        raise UsageError("solved: give an agent, as in solved:mcts:1000")
    return SolvedPolicy(game, make_agent(argument, game), seed=0)
