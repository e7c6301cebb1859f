"""`tabular:DIR`: plays a strategy saved by `arena solve`."""

from pathlib import Path
from typing import Any

import numpy as np

from agents.solvers.solving import RegretSolver
from arena.analysis.response import exploitability
from arena.analysis.table import StrategyTable, information_states, load_table, require_hidden
from arena.analysis.tree import build_tree
from arena.base.errors import UsageError
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.policy.protocol import Policy
from games.engine.game import Game

MOST_POSITIONS = 300_000
"""Largest game, in tree positions, that is solved while an agent is made; that takes seconds."""
MOST_ITERATIONS = 20_000


class TabularPolicy(Policy):
    """Draws actions with the probabilities that a table gives to the seat's information state.

    States are needed only to compute the information state of the seat to move, which is the same in all
    determinizations.
    """

    needs_state = True

    def __init__(self, game: Game, table: StrategyTable, seed: int | np.random.Generator | None = None):
        self._game = game
        self._table = table
        self._rng = make_rng(seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw `act` [n] with the probabilities `probs` [n, A] of the table."""
        if "state" not in batch.obs or batch.obs.state.dtype != self._game.state_dtype:
            raise UsageError(f"tabular needs batch.obs.state, the positions (records [n] of {self._game.name})")
        seats = np.asarray(batch.obs.agent_id, np.int64)
        probs = self._table.look_up(seats, information_states(self._game, batch.obs.state, seats))
        drawn = self._rng.random((len(probs), 1)) * probs.sum(axis=1, keepdims=True)
        below = np.cumsum(probs, axis=1) > drawn
        return Batch(act=below.argmax(axis=1), probs=probs)

    def reset(self, seed: int | None = None) -> None:
        """Restart the random stream if a seed is given."""
        if seed is not None:
            self._rng = make_rng(seed)


def solve_small_game(game: Game, accuracy: float = 1e-5, seed: int | None = None) -> TabularPolicy:
    """Return an agent that plays an equilibrium of `game`, up to an exploitability of `accuracy` in the game's payoffs.

    Small two-player zero-sum games with hidden information, such as kuhn_poker and leduc_poker, are solved by CFR+ in
    seconds. Raises `UsageError` for other games.
    """
    if game.num_players != 2 or not game.zero_sum:
        raise UsageError(f"{game.label} is not a two-player zero-sum game: no strategy of a single seat is perfect")
    require_hidden(game)
    solver = RegretSolver(build_tree(game, MOST_POSITIONS))
    while solver.iterations < MOST_ITERATIONS:
        solver.run(1000)
        if exploitability(solver.tree, solver.strategy()).exploitability <= accuracy:
            break
    return TabularPolicy(game, StrategyTable.of_strategy(solver.tree, solver.strategy()), seed)


def make(game: Game, argument: str) -> TabularPolicy:
    """Make an agent that plays by a table; the argument is its folder."""
    if not argument:
        raise UsageError("'tabular' needs a folder: tabular:runs/NAME, which 'arena solve' writes")
    return TabularPolicy(game, load_table(Path(argument), game), seed=0)
