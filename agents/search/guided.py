"""Search that a network guides, of many positions at once: PUCT, and Gumbel's sequential halving.

PUCT: Silver et al. 2018, "A general reinforcement learning algorithm that masters chess, shogi, and Go through
self-play" (Science 362). Gumbel: Danihelka et al. 2022, "Policy improvement by planning with Gumbel" (ICLR), which
improves on the network's policy with however few simulations.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search.budget import LINE, LONGEST_PATH
from agents.search.guided_tree import NODE
from agents.search.positions import require_guidable
from games.engine.compiler import instantiate
from games.engine.game import Game

Network = Callable[[NDArray[Any], NDArray[np.bool_]], tuple[NDArray[np.float32], NDArray[np.float32]]]
"""From observations [k, *O] and masks [k, A] to logits [k, A] and values [k] of the seats to move."""


@dataclass(frozen=True)
class Found:
    """What a search of n positions found; zeros where a game is over."""

    visits: NDArray[np.int64]
    """Of each action, [n, A]."""
    probs: NDArray[np.float64]
    """A better policy than the network's, [n, A]: shares of visits, or by Gumbel logits and completed results."""
    act: NDArray[np.int64]
    """The best action, [n]."""
    value: NDArray[np.float64]
    """What the seat to move will earn in all, [n]."""
    pv: NDArray[np.int32]
    """The line expected, [n, L], -1 after its end."""


@dataclass(frozen=True)
class RootNoise:
    """Dirichlet noise in the priors at the root, so that self-play tries everything."""

    alpha: float
    share: float


class GuidedSearch:
    """For games of two seats and zero sum in which nothing is hidden.

    Args:
        game: what is played.
        simulations: of each position, at least 1.
        considered: actions that Gumbel's halving begins with; 0 for PUCT.

    """

    def __init__(self, game: Game, simulations: int, considered: int = 0):
        require_guidable(game)
        self._game, self.simulations, self._considered = game, simulations, considered
        self._kernels = instantiate("agents.search.guided_tree", game)
        self._room = 1 + (simulations + 1) * min(game.num_actions, 64)

    def search(
        self,
        states: NDArray[Any],
        network: Network,
        rng: np.random.Generator,
        noise: RootNoise | None = None,
        explores: bool = True,
    ) -> Found:
        """Search the positions [n]; `noise` is PUCT's way to explore, Gumbel's (`explores`) its random numbers."""
        game, n = self._game, len(states)
        shape = (n, game.num_actions)
        nodes = np.zeros((n, self._room), NODE)
        sizes, scales = np.ones(n, np.int64), np.ones(n)
        paths = np.empty((n, min(game.max_length + 2, LONGEST_PATH)), np.int32)
        depths, waiting = np.empty(n, np.int32), np.empty(n, np.bool_)
        payoffs, mask = np.empty((n, game.num_players), np.float32), np.empty(shape, np.bool_)
        obs = np.zeros((n, *game.observation_shape), game.observation_dtype)
        work, seeds = np.empty_like(states), rng.integers(2**64, size=n, dtype=np.uint64)
        scores, wanted = np.zeros(shape, np.float32), np.full(n, -1, np.int32)
        plan, chances = np.zeros(n, np.int64), game.chance_scratch()
        for simulation in range(self.simulations + 1):  # the first one looks at the roots
            if self._considered and simulation > 0:
                wanted[:] = _halving(self._considered, self.simulations)[plan, simulation - 1]
            while not self._kernels.descend(
                *(nodes, sizes, scales, states, work, paths, depths, payoffs, waiting, obs, mask),
                *(chances, seeds, simulation, wanted, scores),
            ):
                nodes = np.concatenate([nodes, np.zeros_like(nodes)], axis=1)
            rows = np.flatnonzero(waiting)
            logits, values = network(obs[rows], mask[rows]) if len(rows) else (scores[:0], scores[:0, 0])
            self._kernels.grow(
                *(nodes, sizes, scales, paths, depths, payoffs, waiting, mask),
                *(logits.astype(np.float32, copy=False), values.astype(np.float32, copy=False)),
            )
            if simulation == 0 and self._considered:
                scores[rows] = logits + (rng.gumbel(size=logits.shape) if explores else 0.0)
                plan[rows] = np.minimum(mask[rows].sum(axis=1), self._considered)
            elif simulation == 0 and noise is not None:
                self._kernels.stir(nodes, rng.gamma(noise.alpha, size=shape) + 1e-12, noise.share)
        return self._found(nodes, scales, scores)

    def _found(self, nodes: NDArray[Any], scales: NDArray[np.float64], scores: NDArray[np.float32]) -> Found:
        visits, value = np.zeros(scores.shape, np.int64), np.zeros(len(scores))
        self._kernels.found(nodes, visits, value)
        act, probs, pv = (
            np.zeros(len(scores), np.int64),
            np.zeros(scores.shape),
            np.empty((len(scores), LINE), np.int32),
        )
        if self._considered:
            self._kernels.improved(nodes, scales, probs, value)
            self._kernels.settled(nodes, scales, scores, act)
        else:
            probs[:] = visits / np.maximum(visits.sum(axis=1, keepdims=True), 1)
            act[:] = visits.argmax(axis=1)
        self._kernels.lines(nodes, act, pv)
        return Found(visits, probs, act, value, pv)


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
