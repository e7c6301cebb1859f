"""`ismcts:SIMULATIONS`: Monte Carlo tree search in games that hide something, or in which all choose at once.

Cowling, Powley, Whitehouse, "Information Set Monte Carlo Tree Search", IEEE TCIAIG 4 (2012), with a tree for each seat
over what it knows (their multiple-observer form). Each simulation begins with a fresh guess at what is hidden, drawn by
the game from all that agrees with what the seat has seen: what is really hidden is never looked at. In turns, the
action taken most is played. Where all choose at once, a fixed action could be exploited: seats choose by regret
matching, and the action is drawn from the mean of these strategies.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search.budget import (
    EXPLORATION,
    LONGEST_PATH,
    QUICK_SIMULATIONS,
    SIMULATIONS,
    read_budget,
    require_positive,
    time_limit,
)
from agents.search.positions import positions, require_hidden
from arena.data.batch import Batch
from arena.policy.kinds import AgentKind
from arena.policy.protocol import Policy
from arena.seeding import make_rng
from games.engine.compiler import instantiate
from games.engine.game import TERMINAL, Game

MOST_NODES, MOST_EDGES = 1 << 17, 1 << 22
"""Nodes, and actions at all of them (160 MB); a simulation adds a node as long as there is room."""


class ISMCTSPolicy(Policy):
    """For games that hide something, chance or not, of any number of players.

    Args:
        game: what is played.
        simulations: of each move.
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
        require_hidden(game, "ismcts")
        require_positive("ismcts", simulations=simulations, seconds=seconds)
        self.one_at_a_time = simulations is None or simulations > QUICK_SIMULATIONS
        self._game = game
        self._simulations, self._seconds = simulations or np.iinfo(np.int64).max, seconds
        self._exploration = exploration
        self._kernels = kernels = instantiate("agents.search.information_tree", game)
        room = min(self._simulations + 1, MOST_NODES, MOST_EDGES // game.num_actions)
        places = 1 << (2 * room - 1).bit_length()
        self._edges = np.empty((room, game.num_actions), kernels.EDGE)
        self._table = np.empty(places, np.uint64), np.empty(places, np.int32)
        self._scratch = (
            np.empty(1, game.state_dtype),
            np.empty(min(game.max_length, LONGEST_PATH), kernels.STEP),
            np.empty(game.num_actions, np.bool_),
            np.empty(game.num_players, np.float32),
            None if game.information_shape is None else np.empty(game.information_shape, game.observation_dtype),
            np.empty(game.observation_shape, game.observation_dtype),
            game.chance_scratch(),
        )
        self._rng = make_rng(seed)
        self._stop = np.zeros(1, np.bool_)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Search every row.

        Returns `act` [n]; `visits` (int [n, A]); `probs` [n, A], their shares, or the strategy that `act` is drawn from
        where all choose at once; `value` [n], what the seat to move may expect of these.
        """
        states = positions(batch, self._game, "ismcts")
        n = len(states)
        act, value = np.zeros(n, np.int64), np.zeros(n)
        visits, probs = np.zeros((2, n, self._game.num_actions))
        for i in np.flatnonzero(states["current_player"] != TERMINAL).tolist():
            root = self._search(states[i : i + 1])
            weights = root["share"] if self._game.simultaneous else root["visits"]
            visits[i], probs[i] = root["visits"], weights / weights.sum()
            value[i] = (probs[i] * root["mean"]).sum()
            act[i] = root["visits"].argmax()
            if self._game.simultaneous:
                act[i] = self._rng.choice(len(probs[i]), p=probs[i])
        return Batch(act=act, probs=probs, value=value, visits=visits.astype(np.int64))

    def _search(self, root: NDArray[Any]) -> NDArray[Any]:
        """What was found for each action in the position `root` [1], records [A]."""
        tree, seat = np.zeros(1, self._kernels.TREE), int(root["current_player"][0])
        tree["seed"] = self._rng.integers(2**64, dtype=np.uint64)
        if self._game.simultaneous:
            root = root.copy()
            self._kernels.reopen(root)
        with time_limit(self._seconds) as self._stop:
            limits = (self._exploration, self._game.simultaneous, self._simulations, self._stop)
            self._kernels.simulate(self._edges, *self._table, tree, root, seat, *self._scratch, *limits)
        return self._edges[0]

    def hurry(self) -> None:
        """End the search that is under way."""
        self._stop.fill(True)

    def reset(self, seed: int | None = None) -> None:
        """With a seed, start the random stream anew."""
        if seed is not None:
            self._rng = make_rng(seed)


def make(game: Game, argument: str) -> ISMCTSPolicy:
    """Seat an agent; the argument is how many simulations a move takes, or how long."""
    budget = read_budget("ismcts", "number of simulations", argument, SIMULATIONS)
    return ISMCTSPolicy(game, budget.count, budget.seconds, seed=0)


AGENT = AgentKind(
    summary="tree search over what players know, for games that hide something",
    make=make,
    argument="SIMULATIONS or TIME",
)
