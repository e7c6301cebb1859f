"""Pools of strategies, one for every seat, mixed by a solution of their meta-game.

The meta-game has the payoffs between all members of the pools. A meta-strategy solves it: it gives the probability with
which each seat plays each member (M. Lanctot et al., "A Unified Game-Theoretic Approach to Multiagent Reinforcement
Learning", 2017, arXiv 1711.00832; with alpha-rank, P. Muller et al., ICLR 2020, arXiv 1909.12823).
"""

from collections.abc import Callable, Mapping

import numpy as np

from arena.analysis.matching import match_all
from arena.analysis.response import realize
from arena.analysis.tree import Floats, GameTree, Ints, follow
from arena.base.checks import require_at_least
from arena.base.errors import UnknownNameError, UsageError
from arena.ratings.alpha_rank import alpha_rank_profiles
from arena.ratings.nash import solve_matrix_game
from arena.ratings.replicator import projected_replicator
from games.engine.game import TERMINAL

MOST_PROFILES = 2500
"""The largest meta-game that alpha-rank solves, which takes some seconds."""


def uniform(payoffs: Floats) -> list[Floats]:
    """Return equal shares. Like the other three, it maps payoffs [P, n, ..., n] to P arrays [n] of shares."""
    return [np.full(size, 1 / size) for size in payoffs.shape[1:]]


def nash(payoffs: Floats) -> list[Floats]:
    """Return the equilibrium of maximal entropy; for two-player zero-sum games."""
    first, second = solve_matrix_game(payoffs[0])
    return [np.asarray(first, float), np.asarray(second, float)]


def prd(payoffs: Floats) -> list[Floats]:
    """Return the result of projected replicator dynamics."""
    return projected_replicator(payoffs)


def alpha_rank(payoffs: Floats) -> list[Floats]:
    """Return each seat's shares of its strategies under alpha-rank; payoffs are in units of their spread."""
    size = int(np.prod(payoffs.shape[1:]))
    if size > MOST_PROFILES:
        raise UsageError(f"alpha-rank of {size:,} profiles takes too long (more than {MOST_PROFILES:,}); stop earlier")
    joint = alpha_rank_profiles(payoffs / (np.ptp(payoffs) or 1.0))
    others = [tuple(other for other in range(joint.ndim) if other != seat) for seat in range(joint.ndim)]
    return [joint.sum(axis=axes) for axes in others]


META: Mapping[str, Callable[[Floats], list[Floats]]] = {
    "nash": nash,
    "alpha-rank": alpha_rank,
    "prd": prd,
    "uniform": uniform,
}
"""Meta-strategies by name."""


class StrategyPools:
    """A pool of n strategies for every seat of one game, mixed by a meta-strategy.

    Args:
        tree: the game.
        meta: a name of `META`; `UsageError` for `nash` outside zero-sum games of two.
        strategies: the strategies that the pools begin with, [n, Q].
        simulations: games that are played to estimate a payoff of the meta-game; 0 computes it exactly.
        seed: of the simulated games.

    """

    def __init__(self, tree: GameTree, meta: str, strategies: Floats, simulations: int = 0, seed: int = 0):
        if meta not in META:
            raise UnknownNameError("meta-strategy", meta, META)
        require_at_least(0, simulations=simulations)
        if meta == "nash" and not (tree.game.num_players == 2 and tree.game.zero_sum):
            raise UsageError(
                f"{tree.game.label} is no zero-sum game of two: nash does not solve it; take prd or alpha-rank"
            )
        self.tree, self.meta, self.simulations = tree, meta, simulations
        self.plans = np.empty((0, tree.num_sequences))
        """[n, Q]: how likely each seat's n-th member does its part for each sequence of the seat."""
        self.payoffs = np.empty((tree.game.num_players, *[0] * tree.game.num_players))
        """[P, n, ..., n]: what each seat earns when these members meet."""
        self._seed = seed
        self._sequences, self._chance, self._returns = _ends(tree)
        for strategy in strategies:
            self._append(strategy)
        self.shares = META[meta](self.payoffs)
        """P arrays [n]: how often each seat plays each member."""

    def __len__(self) -> int:
        return len(self.plans)

    def add(self, strategy: Floats) -> None:
        """Add a strategy [Q] to all pools, and solve the meta-game again."""
        self._append(strategy)
        self.shares = META[self.meta](self.payoffs)

    def has(self, strategy: Floats) -> bool:
        """Return whether every seat has its part of a strategy [Q] in its pool already."""
        plan = np.empty(self.tree.num_sequences)
        realize(self.tree.form, strategy, plan)
        seats = [self.tree.seat_of == seat for seat in range(self.tree.game.num_players)]
        return all((self.plans[:, own] == plan[own]).all(axis=1).any() for own in seats)

    def strategy(self) -> Floats:
        """Return the strategy [Q] of the mixtures of all seats."""
        mixed, strategy = np.empty(self.tree.num_sequences), np.ones(self.tree.num_sequences)
        for seat, shares in enumerate(self.shares):
            own = self.tree.seat_of == seat
            mixed[own] = shares @ self.plans[:, own]
        match_all(self.tree.form, mixed, strategy)
        return strategy

    def load(self, plans: Floats, payoffs: Floats) -> None:
        """Replace the members by `plans` [n, Q] with `payoffs` [P, n, ..., n]; `ValueError` if they do not fit."""
        players = self.tree.game.num_players
        fits = plans.ndim == 2 and plans.shape[1] == self.tree.num_sequences and len(plans) > 0
        fits = fits and plans.dtype == payoffs.dtype == np.float64
        fits = fits and bool(np.isfinite(plans).all() and np.isfinite(payoffs).all())
        if not fits or payoffs.shape != (players, *[len(plans)] * players):
            raise ValueError("plans, payoffs")
        self.plans, self.payoffs = plans, payoffs
        self.shares = META[self.meta](payoffs)

    def _append(self, strategy: Floats) -> None:
        """Add a strategy [Q] to all pools, and compute its payoffs against all members."""
        self.plans = np.concatenate([self.plans, np.empty((1, self.tree.num_sequences))])
        realize(self.tree.form, strategy, self.plans[-1])
        size, players = len(self.plans), self.tree.game.num_players
        payoffs = np.empty((players, *[size] * players))
        payoffs[:, *[slice(size - 1)] * players] = self.payoffs
        rng = np.random.default_rng([self._seed, size])
        for profile in np.ndindex(*payoffs.shape[1:]):
            if max(profile) == size - 1:
                payoffs[:, *profile] = self._profile_returns(profile, rng)
        self.payoffs = payoffs

    def _profile_returns(self, profile: tuple[int, ...], rng: np.random.Generator) -> Floats:
        """Return the payoffs [P] of these members: exact, or averaged over some games."""
        chances = self._chance * self.plans[profile, self._sequences].prod(axis=1)
        if self.simulations:
            chances = rng.multinomial(self.simulations, chances / chances.sum()) / self.simulations
        returns: Floats = chances @ self._returns
        return returns


def _ends(tree: GameTree) -> tuple[Ints, Floats, Floats]:
    """Return for each end its sequences [Z, P], the probability of its chance outcomes [Z], and its payoffs [Z, P]."""
    nodes, players = tree.nodes, tree.game.num_players
    sequences, chance = np.empty((len(nodes), players), np.int32), np.empty(len(nodes))
    follow(nodes, tree.form.first_sequence, sequences, chance)
    ends = np.flatnonzero(nodes["seat"] == TERMINAL)
    return sequences[ends].astype(np.int64), chance[ends], tree.payoffs[nodes["index"][ends]]
