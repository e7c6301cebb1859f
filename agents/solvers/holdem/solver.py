"""The solver of limit hold'em that `arena solve` finds by name."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agents.solvers.holdem.betting import DECISION, NUM_ACTIONS, betting_tree
from agents.solvers.holdem.buckets import percentiles
from agents.solvers.holdem.public_chance import HANDS_DRAWN, HoldemGame, HoldemTables, iterate, new_deal, new_vectors
from agents.solvers.holdem.strategy import BUCKETED, BucketPolicy, BucketStrategy, save_strategy, table_sizes
from arena.analysis.local_response import GAME, local_best_response, require_limit_holdem
from arena.analysis.response import Exploitability
from arena.analysis.solver import SolverKind, require_like
from games.engine.chance import mix
from games.engine.game import Game
from games.engine.holdem import ROUNDS

BUCKETS = 600, 300, 60
"""Buckets in each round after the first; the strategy of all rounds but the last then takes 0.6 MB."""
GAMES_MEASURED = 200
"""Games of the local best response for a measurement on the way."""


class HoldemSolver:
    """Public chance sampling of limit hold'em for two, in buckets of hands; the average strategy is the solution.

    Raises `UsageError` for another game. An equilibrium of the game in buckets can be exploited in the whole game, by
    as much as the buckets hide. The strategy of the last round is not saved, since the agent solves it anew.

    Args:
        game: the game.
        seed: seed of the sampling.
        buckets: numbers of buckets in the rounds after the first.

    """

    agent: ClassVar[str] = BUCKETED
    measures_exactly: ClassVar[bool] = False

    def __init__(self, game: Game, seed: int = 0, buckets: tuple[int, int, int] = BUCKETS):
        require_limit_holdem(game, "public-chance solves")
        self.iterations = 0
        """Number of iterations run."""
        self._game = game
        tree = betting_tree(game)
        self._sizes = table_sizes(tree, buckets)
        first = np.concatenate([[0], np.cumsum(self._sizes)])
        self._abstract = HoldemGame(tree, first[:-1], percentiles(buckets, seed))
        self._tables = HoldemTables(*np.zeros((2, first[-1], NUM_ACTIONS), np.float32))
        self._scratch = new_deal(HANDS_DRAWN), new_vectors(tree, HANDS_DRAWN)
        self._stream = np.array([mix(np.uint64(seed))], np.uint64)

    @property
    def size_text(self) -> str:
        """The size of the game in words."""
        decisions = np.count_nonzero(self._abstract.tree.kind == DECISION)
        return f"{decisions:,} decisions of betting, {len(self._tables.regrets):,} with the buckets of hands"

    def run(self, iterations: int) -> None:
        """Run further iterations; two runs of n equal one run of 2 n, to the last bit."""
        iterate(self._abstract, self._tables, *self._scratch, self._stream, self.iterations, iterations)
        self.iterations += iterations

    def strategy(self) -> BucketStrategy:
        """Return the average strategy so far."""
        is_stored = np.repeat(self._abstract.tree.round < ROUNDS - 1, self._sizes)
        return BucketStrategy.of_average(self._abstract.cuts[:-1], self._tables.average[is_stored])

    def measure(self) -> Exploitability:
        """Return what a local best response wins, a lower bound: from each seat alike, as chance says who begins."""
        policy = BucketPolicy(self._game, self.strategy())
        response = local_best_response(self._game, policy, "the strategy", GAMES_MEASURED)
        return Exploitability(np.zeros(2), np.full(2, response.mean))

    def save(self, folder: Path, config: Mapping[str, Any]) -> None:
        """Write the average strategy as a checkpoint; `config` records how it was made."""
        save_strategy(folder, self._game, self.strategy(), config)

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Return what is needed to resume, except for the number of iterations."""
        return {"regrets": self._tables.regrets, "average": self._tables.average, "stream": self._stream}

    def load_state_dict(self, iterations: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Resume from a `state_dict`; raise `ValueError` if it does not fit the game or is not finite."""
        require_like(self.state_dict(), arrays)
        self.iterations = iterations
        self._tables, self._stream = HoldemTables(arrays["regrets"], arrays["average"]), arrays["stream"]


PUBLIC_CHANCE = SolverKind(
    "limit hold'em in buckets of hands: Monte Carlo CFR with drawn open cards (Johanson et al. 2012)",
    GAME,
    HoldemSolver,
)
