"""Games of chance: searches against exhaustive expectimax in plain Python."""

import numpy as np
import pytest

from agents.guided.guided import GuidedSearch
from agents.search.alphabeta import AlphaBetaPolicy
from agents.search.mcts import MCTSPolicy
from arena.data.batch import Batch
from arena.env.native import GameVectorEnv
from arena.policy.registry import make_game
from games.engine.compiler import instantiate
from games.engine.game import CHANCE, TERMINAL

pytestmark = pytest.mark.full

DECAY = 0.999


class Expectimax:
    """Values for the first seat, `depth` plies deep, of the game's heuristic at the horizon."""

    def __init__(self, game, decay):
        self.game, self.decay, self.known = game, decay, {}
        self.rules = instantiate("tests.agents.search.one_position", game)

    def after(self, state, action):
        copy = state.copy()
        self.rules.play(copy, action)
        return copy

    def actions(self, state):
        mask = np.zeros(self.game.num_actions, np.bool_)
        self.rules.legal(state, mask)
        return np.flatnonzero(mask).tolist()

    def value(self, state, depth):
        key = state.tobytes(), depth
        if key not in self.known:
            self.known[key] = self._value(state, depth)
        return self.known[key]

    def _value(self, state, depth):
        mover = int(state[0]["current_player"])
        if mover == TERMINAL:
            payoff = np.zeros(2, np.float32)
            self.rules.earned(state, payoff)
            return float(payoff[0])
        if depth == 0:
            return self.rules.looks(state, 0)
        if mover == CHANCE:
            chances = np.zeros(self.game.num_outcomes)
            self.rules.likely(state, chances)
            return sum(chances[i] * self.below(self.after(state, i), depth) for i in np.flatnonzero(chances).tolist())
        worths = [self.below(self.after(state, action), depth) for action in self.actions(state)]
        return max(worths) if mover == 0 else min(worths)

    def below(self, state, depth):
        """Return the value of a position as seen one ply earlier."""
        ended = state[0]["current_player"] == TERMINAL
        return self.value(state, depth - 1) * (1.0 if ended or depth == 1 else self.decay)


def positions(game, count, plies, seed):
    """Open positions late in random games."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        env = GameVectorEnv(game, 1)
        env.reset(seed=int(rng.integers(2**31)))
        for _ in range(int(rng.integers(*plies))):
            if not env.over[0]:
                env.step([int(rng.choice(np.flatnonzero(env.mask[0])))])
        if not env.over[0]:
            found.append(env.positions()[0])
    return np.array(found, game.state_dtype)


SMALL = [
    ("pig", {"target": 12}, (0, 30), 5),
    ("pig", {"target": 20}, (5, 60), 7),
    ("backgammon", {}, (0, 60), 2),
    ("backgammon", {}, (200, 400), 3),
]


@pytest.mark.parametrize(("name", "options", "plies", "depth"), SMALL, ids=lambda value: str(value))
def test_alpha_beta_weighs_every_outcome_of_chance(name, options, plies, depth):
    game = make_game(name, **options)
    states = positions(game, 12, plies, seed=1)
    answer = AlphaBetaPolicy(game, depth, seed=0).forward(Batch(obs=Batch(state=states)))
    plain = Expectimax(game, DECAY)
    for row, state in enumerate(states):
        sign = 1 if state["current_player"] == 0 else -1
        root = state.reshape(1)
        worths = {action: sign * plain.below(plain.after(root, action), depth) for action in plain.actions(root)}
        best = max(worths.values())
        assert answer.value[row] == pytest.approx(best, abs=1e-9)
        assert np.flatnonzero(answer.probs[row]).tolist() == [
            action for action, worth in worths.items() if worth > best - 1e-12
        ]


@pytest.fixture(scope="module")
def pig():
    """A game of pig of few actions, its positions, and their values."""
    game = make_game("pig", target=7, horizon=9)
    states = positions(game, 12, (0, 4), seed=2)
    plain = Expectimax(game, 1.0)
    values = np.array([plain.value(state.reshape(1), 40) for state in states])
    return game, states, np.where(states["current_player"] == 0, values, -values)


def test_sampled_chance_comes_to_the_same_values(pig):
    """Trees of samples: what they expect approaches the value as their simulations grow in number."""
    game, states, values = pig
    mcts = MCTSPolicy(game, 20_000, seed=0).forward(Batch(obs=Batch(state=states)))
    assert np.abs(mcts.value - values).max() < 0.06

    def indifferent(obs, mask):
        return np.zeros(mask.shape, np.float32), np.zeros(len(mask), np.float32)

    puct = GuidedSearch(game, 4000).search(states, indifferent, np.random.default_rng(0))
    assert np.abs(puct.value - values).max() < 0.1
    assert (np.abs(values) < 0.9).sum() > 5, "positions are open"
