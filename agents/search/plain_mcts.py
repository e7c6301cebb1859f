"""Monte Carlo tree search by copies of positions, for games that are not compiled.

UCT (Kocsis and Szepesvari 2006) with random playouts, for any number of seats. A node stands for the actions that lead
to it and averages over what chance did (an open loop: Perez et al. 2015). Where something is hidden, every simulation
begins from a fresh sample of it, and an action is explored by how often it was available (single-observer information
set MCTS: Cowling, Powley and Whitehouse 2012).
"""

import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search.budget import EXPLORATION, Budget
from agents.search.positions import positions
from agents.search.time_management import budget_for
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.policy.protocol import Policy
from games.engine.game import TERMINAL, Game, Playable

PLAYOUT_STEPS = 1000
"""Actions after which a playout is left, worth what it has brought by then."""


class _Node:
    """Node of the tree: how often each action was available, its visits and summed returns, for the seat to move."""

    def __init__(self, num_actions: int):
        self.children: dict[int, _Node] = {}
        self.available = np.zeros(num_actions, np.int64)
        self.visits = np.zeros(num_actions, np.int64)
        self.total = np.zeros(num_actions)


class PlainMCTSPolicy(Policy):
    """MCTS in Python for any game whose positions can be copied, with what is hidden drawn again.

    Args:
        game: the game.
        budget: number of simulations or time of each move.
        exploration: weight of the exploration term, in units of the largest return seen so far.
        seed: seed of the playouts.

    """

    needs_state = True
    obeys = frozenset({"nodes"})
    one_at_a_time = True

    def __init__(
        self,
        game: Game,
        budget: Budget,
        exploration: float = EXPLORATION,
        seed: int | np.random.Generator | None = None,
    ):
        self._game, self._budget, self._exploration = game, budget, exploration
        self._rng = make_rng(seed)
        self._hurried = False
        game.playable(game.initial, 0)  # refused here, where it cannot be copied

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Search every row; return `act` [n], `visits` and `probs` [n, A], and `value` [n] for the seat to move."""
        states = positions(batch, self._game, "mcts")
        act, value = np.zeros(len(states), np.int64), np.zeros(len(states))
        visits = np.zeros((len(states), self._game.num_actions), np.int64)
        for row in range(len(states)):
            if states[row]["current_player"] == TERMINAL:
                visits[row] = 1
                continue
            root = self._search(states[row], budget_for(self._game, self._budget, batch.obs, row, "nodes"))
            visits[row] = root.visits
            best = np.flatnonzero(root.visits == root.visits.max())
            act[row] = best[np.argmax(root.total[best])]
            value[row] = root.total.sum() / root.visits.sum()
        return Batch(act=act, visits=visits, probs=visits / visits.sum(axis=1, keepdims=True), value=value)

    def hurry(self) -> None:
        """End the current search."""
        self._hurried = True

    def reset(self, seed: int | None = None) -> None:
        """Restart the random stream if a seed is given."""
        if seed is not None:
            self._rng = make_rng(seed)

    def _search(self, state: NDArray[Any], budget: Budget) -> _Node:
        root, scale = _Node(self._game.num_actions), 1e-9
        self._hurried = False
        count = budget.count or math.inf
        end = math.inf if budget.seconds is None else time.monotonic() + budget.seconds
        done = 0
        while done < count and (done == 0 or not (self._hurried or time.monotonic() > end)):
            position = self._game.playable(state, int(self._rng.integers(2**31)))
            scale = max(scale, float(np.abs(self._simulate(root, position, scale)).max()))
            done += 1
        return root

    def _simulate(self, root: _Node, position: Playable, scale: float) -> NDArray[np.float64]:
        """Descend to a new node, play on at random, and add the returns [P] to all nodes of the line."""
        node, line = root, []
        returns = np.zeros(self._game.num_players)
        while not position.over:
            action = self._select(node, position.mask, scale)
            line.append((node, action, position.seat, returns[position.seat]))
            returns += position.step(action)
            if action not in node.children:
                node.children[action] = _Node(self._game.num_actions)
                break
            node = node.children[action]
        steps = 0
        while not position.over and steps < PLAYOUT_STEPS:
            returns += position.step(self._one_of(np.flatnonzero(position.mask)))
            steps += 1
        for parent, action, seat, before in line:
            parent.visits[action] += 1
            parent.total[action] += returns[seat] - before
        return returns

    def _select(self, node: _Node, mask: NDArray[np.bool_], scale: float) -> int:
        """Return a random untried action, else the one with the largest upper confidence bound."""
        legal = np.flatnonzero(mask)
        node.available[legal] += 1
        untried = legal[node.visits[legal] == 0]
        if len(untried):
            return self._one_of(untried)
        visits = node.visits[legal]
        bound = node.total[legal] / visits + self._exploration * scale * np.sqrt(np.log(node.available[legal]) / visits)
        return int(legal[np.argmax(bound)])

    def _one_of(self, actions: NDArray[np.int64]) -> int:
        """Return one of these actions; a generator's own `choice` takes as long as a step of a small game."""
        return int(actions[self._rng.integers(len(actions))])
