"""Search that a network guides, of many positions at once: PUCT, and Gumbel's sequential halving.

PUCT: Silver et al. 2018, "A general reinforcement learning algorithm that masters chess, shogi, and Go through
self-play" (Science 362). Gumbel: Danihelka et al. 2022, "Policy improvement by planning with Gumbel" (ICLR), which
improves on the network's policy with however few simulations.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search.budget import LINE, LONGEST_PATH, require_positive, time_limit
from agents.search.guided_tree import NODE
from agents.search.nodes import shares_of
from agents.search.positions import require_guidable
from arena.errors import UsageError
from games.engine.compiler import instantiate
from games.engine.game import Game

ROOM = 4096
"""Simulations that there is room for at once; more is made when it is needed."""
MOST_SIMULATIONS = 1 << 30
Network = Callable[[NDArray[Any], NDArray[np.bool_]], tuple[NDArray[np.float32], NDArray[np.float32]]]
"""From observations [k, *O] and masks [k, A] to logits [k, A] and values [k] of the seats to move."""


@dataclass(frozen=True)
class Found:
    """What a search of n positions found; zeros where a game is over."""

    visits: NDArray[np.int64]
    """Of each action, [n, A]."""
    probs: NDArray[np.float64]
    """A better policy than the network's, [n, A].

    The shares of visits, without those of moves proven to be worse; by Gumbel logits and completed results.
    """
    act: NDArray[np.int64]
    """The best action, [n]."""
    value: NDArray[np.float64]
    """What the seat to move will earn in all, [n]."""
    pv: NDArray[np.int32]
    """The line expected, [n, L], -1 after its end."""
    trees: Sequence[NDArray[Any]]
    """The trees themselves, n times nodes, the root first."""
    simulations: int
    """Made in all of them together."""


@dataclass(frozen=True)
class RootNoise:
    """Dirichlet noise in the priors at the root, so that self-play tries everything."""

    alpha: float
    share: float


class GuidedSearch:
    """For games of two seats and zero sum in which nothing is hidden.

    Args:
        game: what is played.
        simulations: of each position, at most: PUCT stops where the result is proven.
        considered: actions that Gumbel's halving begins with; 0 for PUCT.
        seconds: of each position, in place of a number of simulations (PUCT alone: Gumbel plans them).

    """

    def __init__(self, game: Game, simulations: int | None = None, considered: int = 0, seconds: float | None = None):
        require_guidable(game)
        require_positive("guided search", simulations=simulations, seconds=seconds)
        if considered and simulations is None:
            raise UsageError("Gumbel's search plans its simulations: give their number, not a time")
        self.goes_on = not considered
        """Whether it can go on from a tree of an earlier search; Gumbel's plan is one for a new tree."""
        self._game, self.seconds, self._considered = game, seconds, considered
        self.simulations = simulations or np.iinfo(np.int64).max
        self._proves = not considered and not game.has_chance
        self._kernels = instantiate("agents.search.guided_tree", game)
        self._stop = np.zeros(1, np.bool_)
        self._room = (1 + min(self.simulations + 1, ROOM)) * min(game.num_actions, 64)

    def search(
        self,
        states: NDArray[Any],
        network: Network,
        rng: np.random.Generator,
        noise: RootNoise | None = None,
        explores: bool = True,
        kept: Sequence[NDArray[Any] | None] | None = None,
    ) -> Found:
        """Search the positions [n]; `noise` is PUCT's way to explore, Gumbel's (`explores`) its random numbers.

        PUCT goes on from the trees `kept` [n], where there is one, with as many simulations as without it.
        """
        if self.seconds is not None and len(states) > 1:
            each = [slice(row, row + 1) for row in range(len(states))]
            return joined([self.search(states[one], network, rng, noise, explores, kept and kept[one]) for one in each])
        forest = Forest(self._game, self._kernels, states, self._room, kept, rng)
        forest.limits = np.maximum(forest.nodes["visits"][:, 0], 1) + min(self.simulations, MOST_SIMULATIONS)
        scores, plan = np.zeros(forest.mask.shape, np.float32), np.zeros(len(states), np.int64)
        with time_limit(self.seconds) as self._stop:
            rows, logits = forest.simulate(network, 0, scores, self._proves)  # looks at the roots
            if self._considered:
                scores[rows] = logits + (rng.gumbel(size=logits.shape) if explores else 0.0)
                plan[rows] = np.minimum(forest.mask[rows].sum(axis=1), self._considered)
            elif noise is not None:
                gammas = rng.gamma(noise.alpha, size=scores.shape) + 1e-12
                self._kernels.stir(forest.nodes, gammas, noise.share)
            for simulation in range(1, self.simulations + 1):
                if self._considered:
                    forest.wanted[:] = _halving(self._considered, self.simulations)[plan, simulation - 1]
                forest.simulate(network, simulation, scores, self._proves)
                if forest.active == 0 or self._stop[0]:
                    break
        return self._found(forest, scores)

    def hurry(self) -> None:
        """Have the search under way, in another thread, end with the simulation that it is in."""
        self._stop.fill(True)

    def _found(self, forest: "Forest", scores: NDArray[np.float32]) -> Found:
        nodes, scales, n, shape = forest.nodes, forest.scales, len(scores), scores.shape
        visits, eligible, value = np.zeros(shape, np.int64), np.zeros(shape, np.bool_), np.zeros(n)
        self._kernels.found(nodes, visits, eligible, value)
        act, probs, pv = np.zeros(n, np.int64), np.zeros(shape), np.empty((n, LINE), np.int32)
        if self._considered:
            self._kernels.improved(nodes, scales, probs, value)
            self._kernels.settled(nodes, scales, scores, act)
        else:
            probs[:] = shares_of(visits, eligible)
            act[:] = probs.argmax(axis=1)
        self._kernels.lines(nodes, act, pv)
        return Found(visits, probs, act, value, pv, list(nodes), forest.simulations)


def joined(parts: Sequence[Found]) -> Found:
    """What several searches found, as one."""
    return Found(
        np.concatenate([part.visits for part in parts]),
        np.concatenate([part.probs for part in parts]),
        np.concatenate([part.act for part in parts]),
        np.concatenate([part.value for part in parts]),
        np.concatenate([part.pv for part in parts]),
        [tree for part in parts for tree in part.trees],
        sum(part.simulations for part in parts),
    )


class Forest:
    """The trees of one search, one a position; arrays as in `guided_tree`."""

    def __init__(
        self,
        game: Game,
        kernels: Any,
        states: NDArray[Any],
        room: int,
        kept: Sequence[NDArray[Any] | None] | None,
        rng: np.random.Generator,
    ):
        n, kept = len(states), kept or [None] * len(states)
        self._kernels, self._states = kernels, states
        self._sizes = np.array([1 if tree is None else len(tree) for tree in kept], np.int64)
        self.nodes = np.zeros((n, room + self._sizes.max(initial=1)), NODE)
        self.nodes["worth"][:, 0] = np.nan
        for row, tree in enumerate(kept):
            if tree is not None:
                self.nodes[row, : len(tree)] = tree
        self.scales, self.limits = np.ones(n), np.ones(n, np.int64)
        self.mask, self.wanted = np.zeros((n, game.num_actions), np.bool_), np.full(n, -1, np.int32)
        self.active = n
        """Trees that the last simulation went down."""
        self.simulations = 0
        """Made so far, those that looked at roots not counted."""
        self._work, self._seeds = np.empty_like(states), rng.integers(2**64, size=n, dtype=np.uint64)
        self._paths = np.empty((n, min(game.max_length + 2, LONGEST_PATH)), np.int32)
        self._depths, self._waiting = np.empty(n, np.int32), np.empty(n, np.bool_)
        self._payoffs = np.empty((n, game.num_players), np.float32)
        self._obs = np.zeros((n, *game.observation_shape), game.observation_dtype)
        self._chances = game.chance_scratch()

    def simulate(
        self, network: Network, simulation: int, scores: NDArray[np.float32], proves: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """One simulation in every tree; the first, number 0, looks at roots that are new.

        Returns the trees where the network looked, [w], and its logits [w, A].
        """
        limits = self.limits if simulation else np.ones_like(self.limits)
        while (
            active := self._kernels.descend(
                *(self.nodes, self._sizes, self.scales, limits, self._states, self._work, self._paths, self._depths),
                *(self._payoffs, self._waiting, self._obs, self.mask, self._chances, self._seeds, simulation),
                *(self.wanted, scores),
            )
        ) < 0:
            self.nodes = np.concatenate([self.nodes, np.zeros_like(self.nodes)], axis=1)
        self.active = active
        self.simulations += active if simulation else 0
        rows = np.flatnonzero(self._waiting)
        logits, values = network(self._obs[rows], self.mask[rows]) if len(rows) else (scores[:0], scores[:0, 0])
        logits, values = logits.astype(np.float32, copy=False), values.astype(np.float32, copy=False)
        self._kernels.grow(
            *(self.nodes, self._sizes, self.scales, self._paths, self._depths, self._payoffs, self._waiting),
            *(self.mask, logits, values, proves),
        )
        return rows, logits


@cache
def _halving(considered: int, simulations: int) -> NDArray[np.int32]:
    """How many visits the next child of the root has to have, [considered + 1, simulations], by legal actions.

    Sequential halving: all are tried equally often, then the better half of them, and so on, to the last two.
    """
    table = np.zeros((considered + 1, simulations), np.int32)
    for count in range(considered + 1):
        table[count] = _visits_wanted(count, simulations)
    return table


def _visits_wanted(count: int, simulations: int) -> list[int]:
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
