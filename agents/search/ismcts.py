"""`ismcts:SIMULATIONS`: Monte Carlo tree search in games with hidden information or simultaneous moves.

Cowling, Powley, Whitehouse, "Information Set Monte Carlo Tree Search", IEEE TCIAIG 4 (2012), in its multiple-observer
form: each seat has a tree over its own information states. Each simulation begins with a determinization that the game
samples among all states consistent with the seat's observations; the true hidden state is never read. In turn-based
games the most visited action is played. With simultaneous moves a fixed action could be exploited: seats choose by
regret matching, and the action is drawn from the average strategy.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search.budget import (
    EXPLORATION,
    QUICK_SIMULATIONS,
    SIMULATIONS,
    UNLIMITED,
    Budget,
    read_search,
    require_budget,
)
from agents.search.deadline import bring_forward, new_deadline
from agents.search.information_tree import new_scratch, new_tree
from agents.search.nodes import SearchLimits
from agents.search.plain_mcts import PlainMCTSPolicy
from agents.search.positions import positions, require_hidden
from agents.search.time_management import budget_for
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.policy.protocol import Policy
from games.engine.compiled import CompiledGame
from games.engine.compiler import instantiate
from games.engine.game import TERMINAL, Game
from games.engine.jit import Unchecked

MOST_NODES, MOST_EDGES = 1 << 17, 1 << 22
"""Largest number of nodes, and of actions at all nodes together (160 MB)."""


class ISMCTSPolicy(Policy):
    """Information set Monte Carlo tree search, for any number of players, with or without chance.

    Args:
        game: the game.
        simulations: number of simulations per move (1,000, or what a clock has time for).
        seconds: time per move, instead of `simulations`. Equal seeds then need not give equal moves.
        exploration: weight of the confidence bound, in units of the largest result so far.
        seed: seed of the random stream.

    """

    needs_state = True
    obeys = frozenset({"nodes"})

    def __init__(
        self,
        game: Game,
        simulations: int | None = None,
        seconds: float | None = None,
        exploration: float = EXPLORATION,
        seed: int | np.random.Generator | None = None,
    ):
        require_hidden(game, "ismcts")
        self._budget = require_budget("ismcts", SIMULATIONS, seconds, simulations=simulations)
        self.one_at_a_time = self._budget.count is None or self._budget.count > QUICK_SIMULATIONS
        self._game, self._room = game, 0
        self._exploration = exploration
        self._kernels = instantiate("agents.search.information_tree", game)
        self._simulate = Unchecked(self._kernels.simulate)
        self._make_room(self._budget.count or UNLIMITED)
        self._scratch, self._chances = new_scratch(game), game.chance_scratch()
        self._information = (
            None if game.information_shape is None else np.empty(game.information_shape, game.observation_dtype)
        )
        self._rng = make_rng(seed)
        self._deadline = new_deadline(None)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Search every row.

        Returns `act` [n]; `visits` (int [n, A]); `probs` [n, A], the shares of visits or, with simultaneous moves, the
        strategy that `act` is drawn from; `value` [n], the expected result of `probs` for the seat to move.
        """
        states = np.ascontiguousarray(positions(batch, self._game, "ismcts")).reshape(-1)
        n = len(states)
        act, value = np.zeros(n, np.int64), np.zeros(n)
        visits, probs = np.zeros((2, n, self._game.num_actions))
        for i in np.flatnonzero(states["current_player"] != TERMINAL).tolist():
            root = self._search(states[i : i + 1], budget_for(self._game, self._budget, batch.obs, i, "nodes"))
            weights = root["share"] if self._game.simultaneous else root["visits"]
            visits[i], probs[i] = root["visits"], weights / weights.sum()
            value[i] = (probs[i] * root["mean"]).sum()
            act[i] = root["visits"].argmax()
            if self._game.simultaneous:
                act[i] = self._rng.choice(len(probs[i]), p=probs[i])
        return Batch(act=act, probs=probs, value=value, visits=visits.astype(np.int64))

    def _make_room(self, simulations: int) -> None:
        """Make a tree for so many simulations, or the largest, unless there is one."""
        room = min(simulations + 1, MOST_NODES, MOST_EDGES // self._game.num_actions)
        if room > self._room:
            self._tree, self._room = new_tree(self._game, room), room

    def _search(self, root: NDArray[Any], budget: Budget) -> NDArray[Any]:
        """Return the statistics of each action in the position `root` [1], records [A]."""
        simulations = budget.count or UNLIMITED
        self._make_room(simulations)
        head, seat = self._tree.head, int(root["current_player"][0])
        head[:] = 0
        head["seed"] = self._rng.integers(2**64, dtype=np.uint64)
        if self._game.simultaneous:
            root = root.copy()
            self._kernels.reopen(root)
        arguments = self._tree, root, seat, self._scratch, self._information, self._chances, self._game.simultaneous
        limits = SearchLimits(float(self._exploration), simulations, self._deadline)
        self._simulate.prepare(*arguments, limits)
        self._deadline = new_deadline(budget.seconds)
        self._simulate.call(*arguments, limits._replace(deadline=self._deadline))
        return self._tree.edges[0]

    def hurry(self) -> None:
        """End the current search."""
        bring_forward(self._deadline)

    def reset(self, seed: int | None = None) -> None:
        """Restart the random stream if a seed is given."""
        if seed is not None:
            self._rng = make_rng(seed)


def make(game: Game, argument: str) -> ISMCTSPolicy | PlainMCTSPolicy:
    """Make an agent; the argument is its simulations or time per move, and its exploration: `400,exploration=1.2`."""
    budget, exploration = read_search("ismcts", argument)
    require_hidden(game, "ismcts")
    if not isinstance(game, CompiledGame):
        return PlainMCTSPolicy(game, budget, exploration, seed=0)
    return ISMCTSPolicy(game, None if budget.usual else budget.count, budget.seconds, exploration, seed=0)
