"""`tabular:DIR`: plays a strategy that was written down, as `arena solve` leaves it."""

from pathlib import Path
from typing import Any

import numpy as np

from arena.data.batch import Batch
from arena.equilibrium.response import exploitability
from arena.equilibrium.solving import Solver
from arena.equilibrium.table import Table, information_states, load_table, require_hidden
from arena.equilibrium.tree import build_tree
from arena.errors import UsageError
from arena.policy.kinds import AgentKind
from arena.policy.protocol import Policy
from arena.seeding import make_rng
from games.engine.game import Game

AT_ONCE = 20_000
"""The largest game, in positions of its tree, that is solved while an agent sits down: that takes seconds."""
MOST_ITERATIONS = 20_000


class TabularPolicy(Policy):
    """Draws its moves with the probabilities of a table, from what its seat knows.

    It asks for positions only to read off them what its own seat has seen and done, which is the same in all that it
    may be shown.
    """

    needs_state = True

    def __init__(self, game: Game, table: Table, seed: int | np.random.Generator | None = None):
        self._game = game
        self._table = table
        self._rng = make_rng(seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw `act` [n]; `probs` [n, A] are the table's."""
        if "state" not in batch.obs or batch.obs.state.dtype != self._game.state_dtype:
            raise UsageError(f"tabular needs batch.obs.state, the positions (records [n] of {self._game.name})")
        seats = np.asarray(batch.obs.agent_id, np.int64)
        probs = self._table.look_up(seats, information_states(self._game, batch.obs.state, seats))
        drawn = self._rng.random((len(probs), 1)) * probs.sum(axis=1, keepdims=True)
        below = np.cumsum(probs, axis=1) > drawn
        return Batch(act=below.argmax(axis=1), probs=probs)

    def reset(self, seed: int | None = None) -> None:
        """With a seed, start the random stream anew."""
        if seed is not None:
            self._rng = make_rng(seed)


def solve_at_once(game: Game, accuracy: float = 1e-5, seed: int | None = None) -> TabularPolicy:
    """An agent that plays an equilibrium of `game` up to an exploitability of `accuracy`, in the game's payoffs.

    For zero-sum games of two players that hide something and are small, kuhn_poker and leduc_poker among them: they are
    solved by CFR+ on the spot. `UsageError` for others.
    """
    if game.num_players != 2 or not game.zero_sum:
        raise UsageError(f"{game.label} is no zero-sum game of two players: no single strategy of a seat is perfect")
    require_hidden(game)
    solver = Solver(build_tree(game, AT_ONCE))
    while solver.iterations < MOST_ITERATIONS:
        solver.run(1000)
        if exploitability(solver.tree, solver.strategy()).exploitability <= accuracy:
            break
    return TabularPolicy(game, Table.of_strategy(solver.tree, solver.strategy()), seed)


def make(game: Game, argument: str) -> TabularPolicy:
    """Seat an agent that plays by a table; the argument is its folder."""
    if not argument:
        raise UsageError("'tabular' needs a folder: tabular:runs/NAME, which 'arena solve' writes")
    return TabularPolicy(game, load_table(Path(argument), game), seed=0)


AGENT = AgentKind(summary="plays a strategy solved by 'arena solve'", make=make, argument="DIR")
