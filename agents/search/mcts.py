"""`mcts:SIMULATIONS`: Monte Carlo tree search with random playouts (UCT).

Kocsis and Szepesvari, "Bandit based Monte-Carlo Planning", ECML 2006, in the form surveyed by Browne et al. ("A Survey
of Monte Carlo Tree Search Methods", 2012): each simulation adds one node, and the most visited child is played. Any
number of players (each maximises its own result), several moves in a row, and chance (sampled, in nodes of its own) are
supported. In games of two players without chance, results are proven during the search. The subtree below the moves
played since is reused for the next move.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search.budget import (
    EXPLORATION,
    LINE,
    QUICK_SIMULATIONS,
    SIMULATIONS,
    UNLIMITED,
    Budget,
    read_budget,
    read_search,
    require_budget,
)
from agents.search.deadline import bring_forward, new_deadline
from agents.search.memory import Trees
from agents.search.nodes import NODE, TREE, SearchLimits, choose, expected, follow, shares_of
from agents.search.plain_mcts import PlainMCTSPolicy
from agents.search.positions import positions, require_visible
from agents.search.rave_tree import RAVE_NODE, new_rave_scratch
from agents.search.time_management import budget_for
from agents.search.tree import new_scratch
from arena.base.errors import UsageError
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.policy.protocol import Policy
from games.engine.compiled import CompiledGame
from games.engine.compiler import instantiate
from games.engine.game import TERMINAL, Game
from games.engine.jit import Unchecked

GROWTH = 4096
"""Nodes allocated at a time."""
MOST_NODES = 1 << 25
"""Largest number of nodes in a tree (2 GB); a tree of this size ends the search."""


class MCTSPolicy(Policy):
    """Monte Carlo tree search for games of perfect information.

    Args:
        game: the game.
        simulations: largest number of simulations per move (1,000, or what a clock has time for). The search stops
            early when the result is proven or the tree holds `MOST_NODES`.
        seconds: time per move, instead of `simulations`. Equal seeds then need not give equal moves.
        exploration: weight of the confidence bound, in units of the largest result so far.
        seed: seed of the random stream.
        rave: choose by rapid action value estimates instead of a confidence bound (`agents.search.rave_tree`); for
            games of two seats without chance.

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
        rave: bool = False,
    ):
        self._name = "rave" if rave else "mcts"
        require_visible(game, self._name)
        self._budget = require_budget(self._name, SIMULATIONS, seconds, simulations=simulations)
        self.one_at_a_time = self._budget.count is None or self._budget.count > QUICK_SIMULATIONS
        self._game = game
        self._exploration = exploration
        self._proves = game.num_players == 2 and game.zero_sum and not game.has_chance
        if rave and not self._proves:
            raise UsageError(f"rave plays games of two seats, zero-sum and without chance; for {game.name} take mcts")
        template = "agents.search.rave_tree" if rave else "agents.search.tree"
        self._simulate = Unchecked(instantiate(template, game).simulate)
        self._scratch, self._chances = (new_rave_scratch if rave else new_scratch)(game), game.chance_scratch()
        self._node = RAVE_NODE if rave else NODE
        self._trees = Trees(game)
        self._rng = make_rng(seed)
        self._deadline = new_deadline(None)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Search every row.

        Returns `act` [n]; `visits` (int [n, A]); `probs` [n, A], the shares of visits among moves not proven worse;
        `value` [n], the mean result of the simulations, or the proven value; `pv` (int [n, L], -1 after the end), the
        principal variation.
        """
        states = np.ascontiguousarray(positions(batch, self._game, self._name)).reshape(-1)
        n = len(states)
        act, value = np.zeros(n, np.int64), np.zeros(n)
        visits, pv = np.zeros((n, self._game.num_actions), np.int64), np.full((n, LINE), -1, np.int32)
        eligible = np.zeros(visits.shape, np.bool_)
        kept = np.zeros(n, np.int64) if state is None else np.array(state.tree)
        for i in np.flatnonzero(states["current_player"] != TERMINAL).tolist():
            root = states[i : i + 1]
            budget = budget_for(self._game, self._budget, batch.obs, i, "nodes")
            nodes = self._search(self._trees.pop(int(kept[i]), root), root, budget)
            act[i] = choose(nodes, visits[i], eligible[i])
            value[i] = expected(nodes)
            follow(nodes, act[i], pv[i])
            kept[i] = self._trees.put(nodes, root, int(act[i]))
        probs = shares_of(visits, eligible)
        return Batch(act=act, probs=probs, value=value, visits=visits, pv=pv, state=Batch(tree=kept))

    def _search(self, kept: NDArray[Any] | None, root: NDArray[Any], budget: Budget) -> NDArray[Any]:
        """Search from `root` [1], continuing with the nodes `kept`; return the nodes of the tree."""
        tree = np.zeros(1, TREE)
        tree["seed"] = self._rng.integers(2**64, dtype=np.uint64)
        tree["size"] = size = 1 if kept is None else len(kept)
        nodes = np.empty(size + GROWTH + self._game.num_actions + self._game.num_outcomes, self._node)
        if kept is None:
            nodes[0] = np.zeros((), self._node)
            nodes[0]["proven_value"] = np.nan
        else:
            nodes[:size] = kept
        arguments = tree, root, self._scratch, self._chances, self._proves
        limits = SearchLimits(float(self._exploration), budget.count or UNLIMITED, self._deadline)
        self._simulate.prepare(nodes, *arguments, limits)
        self._deadline = new_deadline(budget.seconds)
        limits = limits._replace(deadline=self._deadline)
        while not self._simulate.call(nodes, *arguments, limits) and len(nodes) < MOST_NODES:
            nodes = np.concatenate([nodes, np.empty_like(nodes)])
        return nodes[: int(tree["size"][0])]

    def hurry(self) -> None:
        """End the current search."""
        bring_forward(self._deadline)

    def reset(self, seed: int | None = None) -> None:
        """Drop the trees of earlier games; restart the random stream if a seed is given."""
        self._trees = Trees(self._game)
        if seed is not None:
            self._rng = make_rng(seed)


def make(game: Game, argument: str) -> MCTSPolicy | PlainMCTSPolicy:
    """Make an agent; the argument is its simulations or time per move, and its exploration: `400,exploration=1.2`."""
    budget, exploration = read_search("mcts", argument)
    require_visible(game, "mcts")
    if not isinstance(game, CompiledGame):
        return PlainMCTSPolicy(game, budget, exploration, seed=0)
    return MCTSPolicy(game, None if budget.usual else budget.count, budget.seconds, exploration, seed=0)


def make_rave(game: Game, argument: str) -> MCTSPolicy:
    """Make an agent with rapid action value estimates; the argument is as that of `mcts`."""
    budget = read_budget("rave", "number of simulations", argument, SIMULATIONS)
    require_visible(game, "rave")
    if not isinstance(game, CompiledGame):
        raise UsageError(f"rave:{argument}: {game.name} is not compiled here; take mcts")
    return MCTSPolicy(game, None if budget.usual else budget.count, budget.seconds, seed=0, rave=True)
