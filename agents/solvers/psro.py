"""Policy-space response oracles (PSRO) on a tree: pools of strategies that grow by exact best responses.

M. Lanctot et al., "A Unified Game-Theoretic Approach to Multiagent Reinforcement Learning", 2017, arXiv 1711.00832;
with alpha-rank, P. Muller et al., "A Generalized Training Approach for Multiagent Learning", ICLR 2020, arXiv
1909.12823. An iteration solves the meta-game, the payoffs between all members of the pools, and adds to the pool of
every seat a best response to the mixtures of the others. With a Nash equilibrium of the meta-game this is the double
oracle algorithm of H. McMahan, G. Gordon and A. Blum, ICML 2003; with uniform mixtures it is fictitious play (G. Brown,
1951).
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from arena.analysis.response import best_response
from arena.analysis.strategy_pools import StrategyPools
from arena.analysis.tree import Floats, GameTree

TREMBLE = 1e-40
"""Probability added to actions outside a mixture, so that best responses cover mistakes; as in OpenSpiel."""


class Psro:
    """PSRO of one game, with n members in the pool of every seat.

    A response that a pool already contains is added again and so gains weight. Only `nash` with exact payoffs, where
    copies have no effect, leaves the pools unchanged once no seat has a new response.

    Args:
        tree: the game.
        meta: a meta-strategy of `arena.analysis.strategy_pools`; `UsageError` for `nash` outside zero-sum games of two.
        simulations: number of games played to estimate a payoff of the meta-game; 0 computes it exactly.
        seed: seed of the simulated games.

    """

    def __init__(self, tree: GameTree, meta: str = "nash", simulations: int = 0, seed: int = 0):
        self.tree = tree
        self.iterations = 0
        """Number of iterations run."""
        self.pools = StrategyPools(tree, meta, tree.uniform()[None], simulations, seed)

    @property
    def num_members(self) -> int:
        """Return the number of members of all seats together, the measure of the papers."""
        return len(self.pools) * self.tree.game.num_players

    def run(self, iterations: int) -> None:
        """Run further iterations; two runs of n equal one run of 2 n."""
        for _ in range(iterations):
            self._respond()
            self.iterations += 1

    def strategy(self) -> Floats:
        """Return the average strategy of the mixtures of all seats, [Q]."""
        return self.pools.strategy()

    def state_dict(self) -> dict[str, NDArray[np.float64]]:
        """Return what is needed to resume, except for the number of iterations."""
        return {"plans": self.pools.plans, "payoffs": self.pools.payoffs}

    def load_state_dict(self, iterations: int, arrays: Mapping[str, NDArray[np.float64]]) -> None:
        """Resume from a `state_dict`; raise `ValueError` if it does not fit the game."""
        if len(arrays["plans"]) > iterations + 1:
            raise ValueError("plans, payoffs")
        self.pools.load(arrays["plans"], arrays["payoffs"])
        self.iterations = iterations

    def _respond(self) -> None:
        """Add the best response of every seat to the mixtures of the others."""
        tree, strategy = self.tree, self.strategy() + TREMBLE
        answers = strategy.copy()
        for seat in range(tree.game.num_players):
            own = tree.seat_of == seat
            answers[own] = best_response(tree, strategy, seat)[1][own]
        if self.pools.meta == "nash" and not self.pools.simulations and self.pools.has(answers):
            return
        self.pools.add(answers)
