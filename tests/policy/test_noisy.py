"""`noisy:SHARE:AGENT`: which moves are random, and what stays of the agent."""

import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.data import Batch
from arena.policy.noisy import NoisyPolicy
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from arena.policy.registry import make_agent, make_game

GAME = make_game("tic_tac_toe")


class Counting(Policy):
    """Always plays action 0, and counts its moves in a hidden state."""

    def __init__(self):
        self.asked = 0

    def forward(self, batch, state=None):
        self.asked += len(batch.obs)
        moves = np.zeros(len(batch.obs), np.int64) if state is None else state.moves
        return Batch(act=np.zeros(len(batch.obs), np.int64), state=Batch(moves=moves + 1))


def observations(count):
    mask = np.zeros((count, 9), np.bool_)
    mask[:, :3] = True
    return Batch(obs=Batch(agent_id=np.zeros(count, np.int64), obs=np.zeros((count, 3, 3, 2)), mask=mask))


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_share_of_the_moves_is_random_and_the_agent_is_asked_for_the_others(share):
    policy = Counting()
    answer = NoisyPolicy(policy, RandomPolicy(seed=1), share, seed=2).forward(observations(10_000))
    assert policy.asked == pytest.approx(10_000 * (1 - share), abs=200)
    shares = np.bincount(answer.act, minlength=9) / 10_000
    assert shares == pytest.approx([1 - share * 2 / 3, share / 3, share / 3, *[0] * 6], abs=0.02)


def test_hidden_states_go_on_where_the_agent_was_asked():
    policy = Counting()
    noisy = NoisyPolicy(policy, RandomPolicy(seed=1), 0.5, seed=3)
    state = None
    for _ in range(20):
        state = noisy.forward(observations(50), state).state
    assert state.moves.sum() == policy.asked
    assert 2 < state.moves.min() < state.moves.max() < 18


def test_a_seed_makes_the_same_moves():
    noisy = NoisyPolicy(Counting(), RandomPolicy(), 0.5)
    moves = []
    for _ in range(2):
        noisy.reset(7)
        moves.append(noisy.forward(observations(200)).act.tolist())
    assert moves[0] == moves[1]
    assert noisy.forward(observations(200)).act.tolist() != moves[0]


@pytest.mark.parametrize("argument", ["", "0.2", "0.2:", "1.5:random", "-1:random", "nan:random", "x:random"])
def test_what_is_no_share_or_no_agent_is_refused(argument):
    with pytest.raises(UsageError, match="give the share of random moves, 0 to 1, and an agent"):
        make_agent(f"noisy:{argument}", GAME)


def test_the_agent_within_is_named_where_it_is_wrong():
    with pytest.raises(UsageError, match="unknown agent 'oops'"):
        make_agent("noisy:0.2:oops", GAME)
