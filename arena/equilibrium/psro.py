"""Policy-space response oracles (PSRO) on a tree: a pool for every seat that grows by exact best responses to mixtures.

M. Lanctot et al., "A Unified Game-Theoretic Approach to Multiagent Reinforcement Learning", 2017, arXiv 1711.00832;
with alpha-rank, P. Muller et al., "A Generalized Training Approach for Multiagent Learning", ICLR 2020, arXiv
1909.12823. In each iteration the meta-game, what everybody in the pools earns from everybody, is solved, and every seat
gets its best response to the mixtures of the others. Solved by its equilibrium this is the double oracle of H. McMahan,
G. Gordon and A. Blum, ICML 2003; played uniformly it is fictitious play (G. Brown, 1951).
"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from arena.equilibrium.cfr import match_all
from arena.equilibrium.response import best_response, realize
from arena.equilibrium.tree import Floats, GameTree, Ints, follow
from arena.errors import UnknownNameError, UsageError
from arena.ratings.alpha_rank import alpha_rank_profiles
from arena.ratings.nash import solve_matrix_game
from arena.ratings.replicator import projected_replicator
from games.engine.game import TERMINAL

TREMBLE = 1e-40
"""How likely everybody does what their mixture never does, so that the best responses there are to mistakes, and not
just anything; OpenSpiel's figure."""
MOST_PROFILES = 2500
"""The largest meta-game that alpha-rank solves, which takes some seconds."""


def uniform(payoffs: Floats) -> list[Floats]:
    """Everybody in a pool alike; so are the other three, from payoffs [P, n, ..., n] to P arrays [n] of shares."""
    return [np.full(size, 1 / size) for size in payoffs.shape[1:]]


def nash(payoffs: Floats) -> list[Floats]:
    """An equilibrium, of maximal entropy; for zero-sum games of two seats."""
    first, second = solve_matrix_game(payoffs[0])
    return [np.asarray(first, float), np.asarray(second, float)]


def prd(payoffs: Floats) -> list[Floats]:
    """Projected replicator dynamics."""
    return projected_replicator(payoffs)


def alpha_rank(payoffs: Floats) -> list[Floats]:
    """How often each seat shows each of its strategies under alpha-rank; payoffs count in units of their spread."""
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
"""What solves the meta-game, by name."""


class Psro:
    """PSRO of one game; n members in the pool of every seat.

    A response that is there already is added again, which makes it count more. Only `nash` of exact payoffs, to which
    copies mean nothing, leaves the pools as they are once no seat has a new one.

    Args:
        tree: the game.
        meta: a name of `META`; `UsageError` for `nash` outside zero-sum games of two.
        simulations: games that are played to estimate a payoff of the meta-game; 0 computes it exactly.
        seed: of the simulated games.
        begin: the strategies that the pools begin with [n, Q]; by default the uniform one.

    """

    def __init__(
        self,
        tree: GameTree,
        meta: str = "nash",
        simulations: int = 0,
        seed: int = 0,
        begin: Floats | None = None,
    ):
        if meta not in META:
            raise UnknownNameError("meta-strategy", meta, META)
        if simulations < 0:
            raise UsageError(f"simulations={simulations} is not at least 0")
        if meta == "nash" and not (tree.game.num_players == 2 and tree.game.zero_sum):
            raise UsageError(
                f"{tree.game.label} is no zero-sum game of two: nash does not solve it; take prd or alpha-rank"
            )
        self.tree, self.meta, self.simulations = tree, meta, simulations
        self.iterations = 0
        """How many were run."""
        strategies = tree.uniform()[None] if begin is None else begin
        self.plans = np.empty((0, tree.num_sequences))
        """[n, Q]: how likely each seat's n-th member does its part for each sequence of the seat."""
        self.payoffs = np.empty((tree.game.num_players, *[0] * tree.game.num_players))
        """[P, n, ..., n]: what each seat earns when these members meet."""
        self._seed = seed
        self._sequences, self._chance, self._earned = _ends(tree)
        for strategy in strategies:
            self._add(strategy)
        self.shares = META[meta](self.payoffs)
        """P arrays [n]: how often each seat plays each member."""

    @property
    def total_pool(self) -> int:
        """Members of all seats, by which the papers count."""
        return len(self.plans) * self.tree.game.num_players

    def run(self, iterations: int) -> None:
        """Go on for some iterations; two runs of n do what one of 2 n does."""
        for _ in range(iterations):
            self._respond()
            self.iterations += 1

    def strategy(self) -> Floats:
        """What the mixtures of all seats play, [Q]."""
        mixed, strategy = np.empty(self.tree.num_sequences), np.ones(self.tree.num_sequences)
        for seat, shares in enumerate(self.shares):
            own = self.tree.seat_of == seat
            mixed[own] = shares @ self.plans[:, own]
        match_all(self.tree.form, mixed, strategy)
        return strategy

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """What it takes to go on, besides the number of iterations."""
        return {"plans": self.plans, "payoffs": self.payoffs}

    def restore(self, iterations: int, arrays: Mapping[str, NDArray[np.float64]]) -> None:
        """Take over what `arrays` gave; `ValueError` if it does not fit the game."""
        plans, payoffs = arrays["plans"], arrays["payoffs"]
        players = self.tree.game.num_players
        fits = plans.ndim == 2 and plans.shape[1] == self.tree.num_sequences and len(plans) <= iterations + 1
        if not fits or payoffs.shape != (players, *[len(plans)] * players):
            raise ValueError("plans, payoffs")
        self.iterations, self.plans, self.payoffs = iterations, plans, payoffs
        self.shares = META[self.meta](payoffs)

    def _respond(self) -> None:
        """Add the best response of every seat to the mixtures of the others."""
        tree, strategy = self.tree, self.strategy() + TREMBLE
        answers = strategy.copy()
        for seat in range(tree.game.num_players):
            own = tree.seat_of == seat
            answers[own] = best_response(tree, strategy, seat)[1][own]
        if self.meta == "nash" and not self.simulations and self._knows(answers):
            return
        self._add(answers)
        self.shares = META[self.meta](self.payoffs)

    def _knows(self, answers: Floats) -> bool:
        """Whether every seat has its part of `answers` [Q] in its pool already."""
        plan = np.empty(self.tree.num_sequences)
        realize(self.tree.form, answers, plan)
        seats = [self.tree.seat_of == seat for seat in range(self.tree.game.num_players)]
        return all((self.plans[:, own] == plan[own]).all(axis=1).any() for own in seats)

    def _add(self, strategy: Floats) -> None:
        """Put a strategy [Q] into all pools, and fill in what it earns from everybody."""
        self.plans = np.concatenate([self.plans, np.empty((1, self.tree.num_sequences))])
        realize(self.tree.form, strategy, self.plans[-1])
        size, players = len(self.plans), self.tree.game.num_players
        payoffs = np.empty((players, *[size] * players))
        payoffs[:, *[slice(size - 1)] * players] = self.payoffs
        rng = np.random.default_rng([self._seed, size])
        for profile in np.ndindex(*payoffs.shape[1:]):
            if max(profile) == size - 1:
                payoffs[:, *profile] = self._outcome(profile, rng)
        self.payoffs = payoffs

    def _outcome(self, profile: tuple[int, ...], rng: np.random.Generator) -> Floats:
        """What each seat earns [P] where these members meet: exactly, or on average over some games."""
        chances = self._chance * self.plans[profile, self._sequences].prod(axis=1)
        if self.simulations:
            chances = rng.multinomial(self.simulations, chances / chances.sum()) / self.simulations
        earned: Floats = chances @ self._earned
        return earned


def _ends(tree: GameTree) -> tuple[Ints, Floats, Floats]:
    """Of each end: the sequences that lead there [Z, P], how likely chance does its part [Z], what is earned [Z, P]."""
    nodes, players = tree.nodes, tree.game.num_players
    sequences, chance = np.empty((len(nodes), players), np.int32), np.empty(len(nodes))
    follow(nodes, tree.form.first_sequence, sequences, chance)
    ends = np.flatnonzero(nodes["seat"] == TERMINAL)
    return sequences[ends].astype(np.int64), chance[ends], tree.payoffs[nodes["index"][ends]]
