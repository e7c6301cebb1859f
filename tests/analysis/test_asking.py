"""The strategies of agents, found out by asking them."""

import numpy as np
import pytest

from arena.analysis.asking import ask_strategy
from arena.analysis.response import exploitability
from arena.analysis.tree import build_tree
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from arena.policy.registration import Spaces
from arena.policy.registry import learning_algorithm, make_agent, make_game

pytestmark = pytest.mark.full

KUHN = build_tree(make_game("kuhn_poker"))
LEDUC = build_tree(make_game("leduc_poker"))


class Answering(Policy):
    """Plays the first legal action, and tells what it is given to tell."""

    def __init__(self, **told):
        self.told = told

    def forward(self, batch, state=None):
        return Batch(act=batch.obs.mask.argmax(axis=1), **self.told)


class Bettor(Policy):
    """Bets by what it sees, as a network would."""

    def __init__(self, needs_state=False):
        self.needs_state = needs_state
        self.seen = []

    def forward(self, batch, state=None):
        self.seen.append(batch.obs)
        bet = (batch.obs.obs @ np.arange(batch.obs.obs.shape[1])) % 7 / 10 + 0.1
        return Batch(act=np.zeros(len(batch.obs), np.int64), probs=np.stack([1 - bet, bet], axis=1))


@pytest.mark.parametrize(
    "spec", ["kuhn_poker:players=3", "leduc_poker", "tic_tac_toe:m=2,n=2,k=2", "pig:target=3,horizon=4"]
)
def test_random_is_uniform(spec):
    tree = build_tree(make_game(spec))
    np.testing.assert_allclose(ask_strategy(tree, RandomPolicy(seed=0), "random"), tree.uniform(), rtol=1e-6)


def test_an_agent_is_asked_once_for_each_information_state_and_sees_what_its_seat_sees():
    bettor = Bettor()
    strategy = ask_strategy(KUHN, bettor, "bettor")
    (seen,) = bettor.seen
    np.testing.assert_array_equal(seen.obs, KUHN.known)  # in this game the two are one
    np.testing.assert_array_equal(seen.agent_id, KUHN.seats)
    assert seen.mask.all()
    bet = (KUHN.known @ np.arange(KUHN.known.shape[1])) % 7 / 10 + 0.1
    np.testing.assert_allclose(KUHN.table(strategy)[:, 1], bet)


def test_who_searches_never_sees_the_other_cards():
    bettor = Bettor(needs_state=True)
    ask_strategy(KUHN, bettor, "bettor", seed=1)
    states, true = bettor.seen[0].state, KUHN.positions(KUHN.example)
    rows = np.arange(len(true))
    np.testing.assert_array_equal(states["cards"][rows, KUHN.seats], true["cards"][rows, KUHN.seats])
    assert (states["cards"][rows, 1 - KUHN.seats] != true["cards"][rows, 1 - KUHN.seats]).any()


def test_the_moves_that_are_chosen():
    table = KUHN.table(ask_strategy(KUHN, Bettor(), "bettor", chosen=True))
    np.testing.assert_array_equal(table, np.tile([1.0, 0.0], (12, 1)))
    with pytest.raises(UsageError, match="bettor chooses moves that are not legal"):
        ask_strategy(LEDUC, Bettor(), "bettor", chosen=True)


def test_positions_without_secrets_are_asked_for_once_however_they_came_about():
    tree = build_tree(make_game("tic_tac_toe"))
    counting = Answering()
    asked = []
    counting.forward = lambda batch, state=None: (
        asked.append(len(batch.obs)),
        Batch(act=batch.obs.mask.argmax(axis=1), probs=batch.obs.mask / batch.obs.mask.sum(axis=1, keepdims=True)),
    )[1]
    ask_strategy(tree, counting, "counting")
    assert sum(asked) == 13306, "a position says which square was taken last; else it would be 4,520"


def test_perfect_play_is_not_exploitable():
    game = make_game("tic_tac_toe:m=2,n=3,k=2")
    tree = build_tree(game)
    strategy = ask_strategy(tree, make_agent("alphabeta:6", game), "alphabeta:6")
    assert exploitability(tree, strategy).nash_conv == 0.0


def test_a_searching_agent_begins_anew_in_every_position():
    game = make_game("tic_tac_toe:m=2,n=3,k=2")
    tree = build_tree(game)
    strategy = ask_strategy(tree, make_agent("mcts:300", game), "mcts:300", chosen=True)
    assert exploitability(tree, strategy).exploitability == 0.0


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({}, "returns no probabilities"),
        ({"probs": np.full((12, 2), 0.5), "state": Batch(h=np.zeros((12, 1)))}, "keeps a hidden state"),
        ({"probs": np.full((12, 2), 0.7)}, "not probabilities of the legal moves"),
        ({"probs": np.full((12, 2), np.nan)}, "not probabilities of the legal moves"),
        ({"probs": np.full((12, 3), 1 / 3)}, "not probabilities of the legal moves"),
    ],
)
def test_agents_whose_strategy_cannot_be_told_are_refused(told, message):
    with pytest.raises(UsageError, match=f"somebody.*{message}"):
        ask_strategy(KUHN, Answering(**told), "somebody")


def test_a_network_is_measured_by_what_it_plays():
    """Fresh weights: the exploitability of the network's own probabilities, computed row by row."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    algorithm = learning_algorithm("ppo")
    policy = algorithm.build(Spaces.of_game(KUHN.game), algorithm.config(), False).train(False)
    strategy = ask_strategy(KUHN, policy, "ppo")
    obs = Batch(agent_id=KUHN.seats, obs=KUHN.known, mask=np.ones((12, 2), np.bool_))
    with torch.no_grad():
        told = policy.forward(Batch(obs=obs, info=Batch())).probs
    np.testing.assert_allclose(KUHN.table(strategy), np.asarray(told, np.float64), atol=1e-6)
    assert 0 < exploitability(KUHN, strategy).exploitability < 1
