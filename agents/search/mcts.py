"""`mcts:SIMULATIONS`: Monte Carlo tree search with random playouts (UCT).

Kocsis and Szepesvari, "Bandit based Monte-Carlo Planning", ECML 2006, in the form that Browne et al. survey ("A Survey
of Monte Carlo Tree Search Methods", 2012): a node is added a simulation, and the child visited most is played. It knows
any number of players (each maximises its own result), several moves in a row, and chance, which is sampled in nodes of
its own; in games of two players without chance, results are proven on the way. What was found below the moves that have
been played since is kept for the next move.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search.budget import (
    EXPLORATION,
    LINE,
    LONGEST_PATH,
    QUICK_SIMULATIONS,
    SIMULATIONS,
    Budget,
    read_budget,
    require_positive,
    time_limit,
)
from agents.search.memory import Trees
from agents.search.nodes import NODE, TREE, choose, expected, follow, shares_of
from agents.search.positions import positions, require_visible
from arena.data.batch import Batch
from arena.policy.kinds import AgentKind
from arena.policy.protocol import Policy
from arena.seeding import make_rng
from games.engine.compiler import instantiate
from games.engine.game import TERMINAL, Game

ROOM = 4096
MOST_NODES = 1 << 25
"""A tree that has grown to this ends the search, whatever was asked for: 2 GB."""


class MCTSPolicy(Policy):
    """For games of perfect information.

    Args:
        game: what is played.
        simulations: of each move, at most (it stops when the result is proven, or the tree holds `MOST_NODES`).
        seconds: of each move, in place of a number of simulations; then equal seeds do not mean equal moves.
        exploration: weight of the confidence bound, in units of the largest result seen.
        seed: of its random stream.

    """

    needs_state = True

    def __init__(
        self,
        game: Game,
        simulations: int | None = None,
        seconds: float | None = None,
        exploration: float = EXPLORATION,
        seed: int | np.random.Generator | None = None,
    ):
        require_visible(game, "mcts")
        require_positive("mcts", simulations=simulations, seconds=seconds)
        self.one_at_a_time = simulations is None or simulations > QUICK_SIMULATIONS
        self._game = game
        self._simulations, self._seconds = simulations or np.iinfo(np.int64).max, seconds
        self._exploration = exploration
        self._proves = game.num_players == 2 and game.zero_sum and not game.has_chance
        self._simulate = instantiate("agents.search.tree", game).simulate
        self._scratch = (
            np.empty(1, game.state_dtype),
            np.empty(min(game.max_length + 2, LONGEST_PATH), np.int32),
            np.empty(game.num_actions, np.bool_),
            np.empty(game.num_players, np.float32),
            game.chance_scratch(),
        )
        self._trees = Trees(game)
        self._rng = make_rng(seed)
        self._stop = np.zeros(1, np.bool_)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Search every row.

        Returns `act` [n]; `visits` (int [n, A]) and `probs`, their shares among moves not proven to be worse; `value`
        [n], the mean of the simulations (the result, where it is proven); `pv` (int [n, L], -1 after the last), the
        line that is expected.
        """
        states = positions(batch, self._game, "mcts")
        n = len(states)
        act, value = np.zeros(n, np.int64), np.zeros(n)
        visits, pv = np.zeros((n, self._game.num_actions), np.int64), np.full((n, LINE), -1, np.int32)
        eligible = np.zeros(visits.shape, np.bool_)
        kept = np.zeros(n, np.int64) if state is None else np.array(state.tree)
        for i in np.flatnonzero(states["current_player"] != TERMINAL).tolist():
            root = states[i : i + 1]
            nodes = self._search(self._trees.pop(int(kept[i]), root), root)
            act[i] = choose(nodes, visits[i], eligible[i])
            value[i] = expected(nodes)
            follow(nodes, act[i], pv[i])
            kept[i] = self._trees.put(nodes, root, int(act[i]))
        probs = shares_of(visits, eligible)
        return Batch(act=act, probs=probs, value=value, visits=visits, pv=pv, state=Batch(tree=kept))

    def _search(self, kept: NDArray[Any] | None, root: NDArray[Any]) -> NDArray[Any]:
        """The nodes of a search from `root` [1] that goes on from those `kept`."""
        tree = np.zeros(1, TREE)
        tree["seed"] = self._rng.integers(2**64, dtype=np.uint64)
        tree["size"] = size = 1 if kept is None else len(kept)
        nodes = np.empty(size + ROOM + self._game.num_actions + self._game.num_outcomes, NODE)
        if kept is None:
            nodes[0] = np.zeros((), NODE)
            nodes[0]["worth"] = np.nan
        else:
            nodes[:size] = kept
        with time_limit(self._seconds) as self._stop:
            limits = (self._exploration, self._proves, self._simulations, self._stop)
            while not self._simulate(nodes, tree, root, *self._scratch, *limits) and len(nodes) < MOST_NODES:
                nodes = np.concatenate([nodes, np.empty_like(nodes)])
        return nodes[: int(tree["size"][0])]

    def hurry(self) -> None:
        """End the search that is under way."""
        self._stop.fill(True)

    def reset(self, seed: int | None = None) -> None:
        """Forget the trees of earlier games; with a seed, start the random stream anew."""
        self._trees = Trees(self._game)
        if seed is not None:
            self._rng = make_rng(seed)


def make(game: Game, argument: str) -> MCTSPolicy:
    """Seat an agent; the argument is how many simulations a move takes, or how long."""
    budget: Budget = read_budget("mcts", "number of simulations", argument, SIMULATIONS)
    return MCTSPolicy(game, budget.count, budget.seconds, seed=0)


AGENT = AgentKind(summary="Monte Carlo tree search with random playouts", make=make, argument="SIMULATIONS or TIME")
