"""Batched tree search guided by a network: PUCT, and Gumbel's sequential halving.

PUCT: Silver et al. 2018, "A general reinforcement learning algorithm that masters chess, shogi, and Go through
self-play" (Science 362). Gumbel: Danihelka et al. 2022, "Policy improvement by planning with Gumbel" (ICLR), which
improves the network's policy with any number of simulations.
"""

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.guided import guided_nodes
from agents.guided.descent import Descent, descents
from agents.guided.guided_nodes import NODE, Leaves, Plan, SearchTrees
from agents.search.budget import LINE, LONGEST_PATH, UNLIMITED, Budget, require_budget
from agents.search.deadline import bring_forward, new_deadline
from agents.search.nodes import shares_of
from agents.search.positions import require_guidable
from arena.base.errors import UsageError
from games.engine.game import Game
from games.engine.jit import Unchecked

INITIAL_SIMULATIONS = 4096
"""Number of simulations for which memory is allocated at first; it is doubled when needed."""
MOST_SIMULATIONS = 1 << 30
Network = Callable[[NDArray[Any], NDArray[np.bool_]], tuple[NDArray[np.float32], NDArray[np.float32]]]
"""Maps observations [k, *O] and masks [k, A] to logits [k, A] and values.

Values are expected further returns: of two seats those of the seats to move, [k], of more those of all seats, [k, P],
the seats to move first.
"""


def values_per_position(game: Game) -> int:
    """Return how many values a network gives for a position: one of two seats, else one a seat."""
    return 1 if game.num_players == 2 else game.num_players


@dataclass(frozen=True)
class SearchResult:
    """Result of searching n positions; zero where a game is over."""

    visits: NDArray[np.int64]
    """Visits of each action, [n, A]."""
    probs: NDArray[np.float64]
    """Improved policy, [n, A].

    PUCT: the shares of visits among moves not proven worse. Gumbel: the softmax of logits and completed Q-values.
    """
    act: NDArray[np.int64]
    """Best action, [n]."""
    value: NDArray[np.float64]
    """Expected return of the seat to move, [n]."""
    pv: NDArray[np.int32]
    """Principal variation, [n, L], -1 after its end."""
    trees: Sequence[NDArray[Any]]
    """Trees of the positions: n arrays of nodes, the root first; those of a batch until the next search."""
    simulations: int
    """Number of simulations in all trees together."""


@dataclass(frozen=True)
class RootNoise:
    """Dirichlet noise in the priors at the root, for exploration in self-play."""

    alpha: float
    share: float


class Drawn(NamedTuple):
    """Random numbers of the searches of n positions."""

    seeds: NDArray[np.uint64]
    """Of what chance does in simulations, [n]."""
    root: NDArray[np.float64] | None
    """Gumbel noise, or the gamma variables of Dirichlet noise, at the roots, [n, A]; None for no noise."""
    share: float
    """Share of Dirichlet noise."""

    def of(self, share: slice) -> "Drawn":
        """Return what belongs to some of the positions."""
        return Drawn(self.seeds[share], None if self.root is None else self.root[share], self.share)


class GuidedSearch:
    """Search for games of perfect information: zero-sum ones of two players, and games of more.

    Args:
        game: the game.
        simulations: largest number of simulations per position. PUCT stops early when the result is proven.
        considered: number of actions with which Gumbel's sequential halving begins; 0 for PUCT.
        seconds: time per position, instead of `simulations`; PUCT only, since Gumbel plans its simulations.

    """

    def __init__(self, game: Game, simulations: int | None = None, considered: int = 0, seconds: float | None = None):
        require_guidable(game, "guided search")
        if simulations is None and seconds is None:
            raise UsageError("guided search: give one of simulations and seconds, not neither")
        self.budget = require_budget("guided search", 0, seconds, simulations=simulations)
        """Of one position, unless a search is given another."""
        if considered and simulations is None:
            raise UsageError("Gumbel's search plans its simulations: give a number of simulations, not a time")
        self.reuses_trees = not considered
        """True if a search may continue from the tree of an earlier one (PUCT). Gumbel needs a new tree."""
        self._game, self._considered = game, considered
        self.simulations = simulations or UNLIMITED
        self._proves = not considered and not game.has_chance and game.wins_at_one and game.num_players == 2
        self._descents, self._grow = descents(game), Unchecked(guided_nodes.grow)
        self._deadline = new_deadline(None)
        self._room = (1 + min(self.simulations + 1, INITIAL_SIMULATIONS)) * min(game.num_actions, 64)
        self._memories = [NodeMemory()]

    def search(
        self,
        states: NDArray[Any],
        network: Network,
        rng: np.random.Generator,
        noise: RootNoise | None = None,
        explores: bool = True,
        kept: Sequence[NDArray[Any] | None] | None = None,
        budget: Budget | None = None,
        threads: int = 1,
    ) -> SearchResult:
        """Search the positions [n], each within `budget`, if that is not the usual one.

        `noise` adds exploration to PUCT, `explores` to Gumbel (its Gumbel noise). PUCT continues from the trees `kept`
        [n] where they are not None, with its full number of simulations on top. Each of `threads` searches a share of
        the positions, so that some descend while the network answers for others; `network` must bear that. Its rounding
        alone depends on them.
        """
        budget, kept, n = budget or self.budget, kept or [None] * len(states), len(states)
        one_by_one = budget.seconds is not None
        shares, chance = slices(n, n if one_by_one else threads), self._drawn(n, rng, noise, explores)
        self._deadline = new_deadline(None)

        def searched(share: slice, memory: NodeMemory) -> SearchResult:
            return self._search(states[share], network, chance.of(share), kept[share], budget, memory)

        if one_by_one:
            return merged_results([searched(share, NodeMemory()) for share in shares])
        self._memories += [NodeMemory() for _ in range(len(shares) - len(self._memories))]
        if len(shares) == 1:
            return searched(shares[0], self._memories[0])
        with ThreadPoolExecutor(len(shares)) as pool:
            return merged_results(list(pool.map(searched, shares, self._memories)))

    def _drawn(self, n: int, rng: np.random.Generator, noise: RootNoise | None, explores: bool) -> "Drawn":
        """Draw what is random in searches of n positions."""
        shape, seeds, root = (n, self._game.num_actions), rng.integers(2**64, size=n, dtype=np.uint64), None
        if self._considered and explores:
            root = rng.gumbel(size=shape)
        elif noise is not None and not self._considered:
            root = rng.gamma(noise.alpha, size=shape) + 1e-12
        return Drawn(seeds, root, 0.0 if noise is None else noise.share)

    def _search(
        self,
        states: NDArray[Any],
        network: Network,
        chance: "Drawn",
        kept: Sequence[NDArray[Any] | None],
        budget: Budget,
        memory: "NodeMemory",
    ) -> SearchResult:
        """Search positions one simulation after the other, each in all of them."""
        simulations = budget.count or UNLIMITED
        nodes = memory.trees(kept, self._room)
        forest = Forest(self._game, self._descents(states), self._grow, states, nodes, kept, chance.seeds)
        visited = forest.trees.nodes["visits"][:, 0].astype(np.int64)
        mask, scores, halved = forest.leaves.mask, forest.plan.scores, np.zeros(len(states), np.int64)
        # The roots are evaluated before the clock starts: this compiles or loads the kernels on the first search.
        rows, logits = forest.simulate(network, 0, self._proves)
        forest.plan.limits[:] = np.maximum(visited, 1) + min(simulations, MOST_SIMULATIONS)
        if self._considered:
            scores[rows] = logits if chance.root is None else logits + chance.root[rows]
            halved[rows] = np.minimum(mask[rows].sum(axis=1), self._considered)
        elif chance.root is not None:
            guided_nodes.add_noise(forest.trees.nodes, chance.root, chance.share)
        if budget.seconds is not None:
            self._deadline = new_deadline(budget.seconds)
        for simulation in range(1, simulations + 1):
            if self._considered:
                table = _considered_visits(self._considered, simulations)
                forest.plan.considered_visits[:] = table[halved, simulation - 1]
            forest.simulate(network, simulation, self._proves)
            if forest.active == 0 or time.monotonic() >= self._deadline[0]:
                break
        if len(states) > 1:  # the next batch will need as much
            self._room = max(self._room, forest.room)
        return self._result(forest)

    def hurry(self) -> None:
        """End the current search after its running simulation; called from another thread."""
        bring_forward(self._deadline)

    def _result(self, forest: "Forest") -> SearchResult:
        nodes, scales, scores = forest.trees.nodes, forest.trees.scales, forest.plan.scores
        n, shape = len(scores), scores.shape
        visits, eligible, value = np.zeros(shape, np.int64), np.zeros(shape, np.bool_), np.zeros(n)
        guided_nodes.read_roots(nodes, visits, eligible, value)
        act, probs, pv = np.zeros(n, np.int64), np.zeros(shape), np.empty((n, LINE), np.int32)
        if self._considered:
            guided_nodes.improved_policies(nodes, scales, probs, value)
            guided_nodes.final_actions(nodes, scales, scores, act)
        else:
            probs[:] = shares_of(visits, eligible)
            act[:] = probs.argmax(axis=1)
        guided_nodes.write_pvs(nodes, act, pv)
        return SearchResult(visits, probs, act, value, pv, list(nodes), forest.simulations)


def slices(n: int, parts: int) -> list[slice]:
    """Divide n rows into so many parts of equal size, or into fewer if there are not so many rows; one at least."""
    bounds = np.linspace(0, n, max(1, min(n, parts)) + 1).astype(int).tolist()
    return [slice(first, last) for first, last in pairwise(bounds)]


def merged_results(parts: Sequence[SearchResult]) -> SearchResult:
    """Concatenate the results of several searches."""
    if len(parts) == 1:
        return parts[0]
    return SearchResult(
        np.concatenate([part.visits for part in parts]),
        np.concatenate([part.probs for part in parts]),
        np.concatenate([part.act for part in parts]),
        np.concatenate([part.value for part in parts]),
        np.concatenate([part.pv for part in parts]),
        [tree for part in parts for tree in part.trees],
        sum(part.simulations for part in parts),
    )


class NodeMemory:
    """Memory of the trees of one search after another: fresh pages cost as much as the search that fills them."""

    def __init__(self) -> None:
        self._nodes = np.zeros(0, NODE)

    def trees(self, kept: Sequence[NDArray[Any] | None], room: int) -> NDArray[Any]:
        """Return nodes [n, N] of any content, `room` of each row beside those of the tree to be kept in it."""
        n, width = len(kept), room + max((1 if tree is None else len(tree) for tree in kept), default=1)
        if len(self._nodes) < n * width:
            self._nodes = np.zeros(n * width, NODE)
        return self._nodes[: n * width].reshape(n, width)


class Forest:
    """The trees of one search, one per position, in `nodes` [n, N]; `grow` is that kernel of `guided_nodes`."""

    def __init__(
        self,
        game: Game,
        descent: Descent,
        grow: Unchecked,
        states: NDArray[Any],
        nodes: NDArray[Any],
        kept: Sequence[NDArray[Any] | None],
        seeds: NDArray[np.uint64],
    ):
        n = len(states)
        self._descent, self._grow = descent, grow
        self._kept = np.array([1 if tree is None else len(tree) for tree in kept], np.int64)
        nodes[:, 0] = np.zeros((), NODE)
        nodes["proven_value"][:, 0] = np.nan
        for row, tree in enumerate(kept):
            if tree is not None:
                nodes[row, : len(tree)] = tree
        nodes["seat"][:, 0] = states["current_player"]
        self.trees = SearchTrees(seeds=seeds, nodes=nodes, sizes=self._kept.copy(), scales=np.ones(n))
        self.leaves = Leaves(
            paths=np.empty((n, min(game.max_length + 2, LONGEST_PATH)), np.int32),
            depths=np.empty(n, np.int32),
            payoffs=np.empty((n, game.num_players), np.float32),
            waiting=np.empty(n, np.bool_),
            mask=np.zeros((n, game.num_actions), np.bool_),
        )
        self.plan = Plan(
            limits=np.ones(n, np.int64),
            considered_visits=np.full(n, -1, np.int32),
            scores=np.zeros((n, game.num_actions), np.float32),
        )
        self.active = n
        """Number of trees in which the last simulation ran."""
        self.simulations = 0
        """Number of simulations so far, without the evaluations of roots."""

    @property
    def room(self) -> int:
        """Nodes that each tree can have beside those that were kept."""
        return self.trees.nodes.shape[1] - int(self._kept.max(initial=1))

    def simulate(
        self, network: Network, simulation: int, proves: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Run one simulation in every tree; number 0 evaluates the new roots only.

        Returns the trees in which the network evaluated a position, [w], and its logits there, [w, A].
        """
        leaves, scores = self.leaves, self.plan.scores
        while (active := self._descent.descend(self.trees, leaves, self.plan, simulation)) < 0:
            nodes = self.trees.nodes
            self.trees = self.trees._replace(nodes=np.concatenate([nodes, np.zeros_like(nodes)], axis=1))
        self.active = active
        self.simulations += active if simulation else 0
        rows = np.flatnonzero(leaves.waiting)
        obs, mask = self._descent.obs, leaves.mask
        if not len(rows):
            logits, values = scores[:0], leaves.payoffs[:0]
        elif len(rows) == len(obs):  # as most often
            logits, values = network(obs, mask)
        else:
            logits, values = network(obs[rows], mask[rows])
        logits = np.ascontiguousarray(logits, np.float32).reshape(len(rows), scores.shape[1])
        self._grow.call(self.trees, leaves, logits, self._of_all_seats(values), proves)
        return rows, logits

    def _of_all_seats(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the values [k, P] of all seats, from the seats to move on, given those of a network."""
        if values.ndim == 1:
            values = np.stack([values, -values], axis=1)
        return np.ascontiguousarray(values, np.float32).reshape(-1, self.leaves.payoffs.shape[1])


@cache
def _considered_visits(considered: int, simulations: int) -> NDArray[np.int32]:
    """Return the required visits of the next root child, [considered + 1, simulations], by the number of legal actions.

    Sequential halving: all considered actions are visited equally often, then the better half, down to the last two.
    """
    table = np.zeros((considered + 1, simulations), np.int32)
    for count in range(considered + 1):
        table[count] = _visit_sequence(count, simulations)
    return table


def _visit_sequence(count: int, simulations: int) -> list[int]:
    if count <= 1:
        return list(range(simulations))
    rounds = math.ceil(math.log2(count))
    sequence: list[int] = []
    visits = [0] * count
    left = count
    while len(sequence) < simulations:
        for _ in range(max(1, simulations // (rounds * left))):
            sequence += visits[:left]
            visits[:left] = [number + 1 for number in visits[:left]]
        left = max(2, left // 2)
    return sequence[:simulations]
