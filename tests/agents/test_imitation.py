"""Imitation: numbered and continuous actions, their losses, and what is refused."""

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Discrete, MultiBinary

from agents.algorithms.imitation import ImitationPolicy, build
from agents.configs.actors import ImitationConfig
from agents.networks.common import Net
from arena.base.errors import UsageError
from arena.data import Batch
from arena.policy.registration import Spaces
from tests.agents.given import Given, positions

SEEN = Box(-1, 1, (3,))


def test_the_likeliest_legal_action_is_taken():
    policy = ImitationPolicy(Given(3), None, Discrete(3))
    answer = policy(Batch(obs=positions([[1.0, 2.0, 3.0]] * 2, [[True] * 3, [True, True, False]])))
    assert answer.act.tolist() == [2, 1]
    np.testing.assert_allclose(answer.probs[1], np.exp([1, 2, -np.inf]) / np.exp([1, 2]).sum(), rtol=1e-6)


def test_numbered_actions_are_learned_by_cross_entropy():
    net = Given(3)
    policy = ImitationPolicy(net, torch.optim.SGD(net.parameters(), 0.1), Discrete(3))
    obs = positions([[1.0, 2.0, 3.0]], [[True, True, False]])
    loss = policy.learn(Batch(obs=obs, act=np.array([0])))
    assert loss["loss"] == pytest.approx(np.log(1 + np.e), rel=1e-6)
    assert net.weight[2] == 1.0, "of illegal actions nothing is learned"


def test_continuous_actions_are_learned_by_their_squared_error():
    net = Given(3)
    policy = ImitationPolicy(net, torch.optim.SGD(net.parameters(), 0.1), Box(-1, 1, (3,)))
    obs, act = np.array([[1.0, 2.0, 3.0]]), np.array([[0.0, 2.0, 6.0]])
    np.testing.assert_array_equal(policy(Batch(obs=obs)).act, obs)
    assert policy.learn(Batch(obs=obs, act=act))["loss"] == pytest.approx((1 + 9) / 3)


@pytest.mark.parametrize("action", [Discrete(4), Box(np.array([-2.0, 0.0]), np.array([2.0, 1.0]), dtype=np.float64)])
def test_a_behaviour_is_cloned(action):
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    policy = build(Spaces(SEEN, action), ImitationConfig(hidden=32, learning_rate=5e-3), training=True)
    obs = rng.uniform(-1, 1, size=(512, 3))
    taught = (obs @ rng.normal(size=(3, 4))).argmax(axis=1) if isinstance(action, Discrete) else np.tanh(obs[:, :2])
    for _ in range(150):
        policy.learn(Batch(obs=obs, act=taught))
    did = policy.eval()(Batch(obs=obs)).act
    if isinstance(action, Discrete):
        assert (did == taught).mean() > 0.95
    else:
        np.testing.assert_allclose(did, taught, atol=0.15)
        sent = policy.map_action(did)
        assert action.contains(sent[0])
        np.testing.assert_allclose(sent[:, 1], (np.clip(did[:, 1], -1, 1) + 1) / 2, rtol=1e-6)


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (None, "needs the action_space"),
        (MultiBinary(3), "needs discrete actions"),
        (Discrete(3, start=1), "needs discrete actions"),
    ],
)
def test_actions_of_other_kinds_are_refused(space, message):
    with pytest.raises(UsageError, match=message):
        ImitationPolicy(Net(3, 3), None, space)


@pytest.mark.parametrize("space", [Discrete(4), Box(-1, 1, (4,))])
def test_a_network_that_does_not_fit_the_actions_is_refused(space):
    with pytest.raises(UsageError, match=r"the network gives .*\(1, 3\)"):
        ImitationPolicy(Net(3, 3), None, space)(Batch(obs=np.zeros((1, 3))))


def test_without_an_optimizer_it_does_not_learn():
    with pytest.raises(UsageError, match="no optimizer"):
        ImitationPolicy(Net(3, 3), None, Discrete(3)).learn(Batch(obs=np.zeros((1, 3)), act=np.array([0])))
