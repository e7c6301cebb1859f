"""`MultiAgentEnv`: environments in the form of Tianshou's manual, collected from and learned in as any other."""

import gymnasium as gym
import numpy as np
import pytest
import torch

from agents.algorithms.dqn import DQNPolicy
from arena.base.errors import IllegalActionError, UsageError
from arena.collector import AsyncCollector, Collector
from arena.data import Batch, VectorReplayBuffer
from arena.env import DummyVectorEnv, GymVectorEnv, MultiAgentEnv, ShmemVectorEnv, SubprocVectorEnv
from arena.policy.base import BasePolicy
from arena.policy.manager import MultiAgentPolicyManager
from arena.policy.random import RandomPolicy
from tests.env.turns import Observed, TicTacToe, TwoPly
from tests.match.players import Lowest

FORMS = {
    "from 1": lambda: MultiAgentEnv(TwoPly()),
    "from 0": lambda: MultiAgentEnv(TwoPly(first_id=0), first_id=0),
    "in a wrapper": lambda: gym.wrappers.TimeLimit(MultiAgentEnv(TwoPly()), 100),
}


@pytest.mark.parametrize("vector", [DummyVectorEnv, SubprocVectorEnv, ShmemVectorEnv])
@pytest.mark.parametrize("form", FORMS)
def test_a_loss_dealt_by_the_second_move_reaches_the_first(form, vector):
    """The first plays 0, the second 2: -1 and 1. Worked out by hand, entry by entry."""
    if vector is not DummyVectorEnv and form != "from 1":
        pytest.skip("one form is enough elsewhere")
    env = vector([FORMS[form]] * 2)
    assert env.agents == ("agent_1", "agent_2")
    buffer = VectorReplayBuffer(40, 4)
    policy = MultiAgentPolicyManager([Lowest(), Lowest()], env, learners=[0, 1])
    collector = Collector(policy, env, buffer)
    stats = collector.collect(n_episode=2)
    collector.close()
    assert stats.returns.tolist() == [[-1.0, 1.0]] * 2
    for ring in (0, 2):
        first, second = buffer.buffers[ring][:], buffer.buffers[ring + 1][:]
        assert (first.obs.agent_id.tolist(), first.obs.obs.tolist()) == ([0], [[1, 0]])
        assert first.obs.mask.tolist() == [[True, True, False]]
        assert (first.act.tolist(), first.rew.tolist()) == ([0], [-1.0])
        assert (first.terminated.tolist(), first.truncated.tolist()) == ([True], [False])
        assert (first.obs_next.agent_id.tolist(), first.obs_next.obs.tolist()) == ([0], [[1, 2]])
        assert first.obs_next.mask.all()
        assert (second.act.tolist(), second.rew.tolist(), second.terminated.tolist()) == ([2], [1.0], [True])
        assert second.obs_next.obs.tolist() == [[2, 1]], "its own last observation, never the other's"
        assert second.obs_next.agent_id.tolist() == [1]
        assert first.info.plies.tolist() == second.info.plies.tolist() == [2]
        returns, _ = BasePolicy.compute_episodic_return(first, buffer, np.array([0]), np.zeros(1), np.zeros(1), 0.9, 1)
        assert returns.tolist() == [-1.0]


def test_an_environment_may_show_everybody_the_end():
    buffer = VectorReplayBuffer(20, 2)
    Collector(Lowest(), DummyVectorEnv([lambda: Observed(TwoPly(cut=True))]), buffer).collect(n_episode=1)
    assert buffer[:].obs_next.obs.tolist() == [[1, 102], [2, 102]]
    assert buffer[:].truncated.tolist() == [True, True]
    assert not buffer[:].terminated.any()


def test_a_learner_learns_from_what_the_others_move_brings():
    """Only the second's forced move tells the first that 1 was the better choice."""
    torch.manual_seed(0)
    env = DummyVectorEnv([lambda: MultiAgentEnv(TwoPly())] * 4)
    network = torch.nn.Sequential(torch.nn.Linear(2, 3))
    learner = DQNPolicy(_OfBoards(network), torch.optim.Adam(network.parameters(), 0.05))
    manager = MultiAgentPolicyManager([learner, RandomPolicy(seed=0)], env)
    buffer = VectorReplayBuffer(400, 4)
    collector = Collector(manager, env, buffer)
    collector.collect(n_episode=40, random=True)
    for _ in range(150):
        manager.update(32, buffer)
    obs = Batch(agent_id=[0], obs=np.array([[1, 0]]), mask=np.array([[True, True, False]]))
    values = network(torch.tensor([[1.0, 0.0]]))[0]
    assert learner.eval().forward(Batch(obs=obs, info=Batch())).act.tolist() == [1]
    np.testing.assert_allclose(values[:2].detach(), [-1.0, 1.0], atol=0.1)


class _OfBoards(torch.nn.Module):
    """Values of what is on the board, as networks of the manual give them: with a state."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, s, state=None, info=None):
        return self.network(torch.as_tensor(s.obs if hasattr(s, "obs") else s, dtype=torch.float32)), state


def test_the_tutorials_game_in_older_terms():
    """A subclass, whose steps return four values; one place stays empty."""
    for kind, env in ((Collector, DummyVectorEnv([TicTacToe] * 3)), (AsyncCollector, async_boards())):
        buffer = VectorReplayBuffer(300, 6)
        collector = kind(RandomPolicy(seed=3), env, buffer)
        stats = collector.collect(n_episode=9)
        collector.close()
        assert (stats.returns.sum(axis=1) == 0).all()
        assert stats.returns.any()
        for ring in buffer.buffers:
            rows = ring[:]
            chosen = rows.obs.mask[np.arange(len(rows)), rows.act]
            assert chosen.all(), "every move was legal"
            assert (np.count_nonzero(rows.obs.obs.reshape(len(rows), -1) == 0, axis=1) == rows.obs.mask.sum(1)).all()
        ended = np.array([ring[:].done.sum() for ring in buffer.buffers]).reshape(3, 2)
        assert (ended[:, 0] == ended[:, 1]).all(), "an episode ends for both"


def async_boards():
    return DummyVectorEnv([TicTacToe] * 3, wait_num=2)


def test_one_by_itself_and_as_gymnasiums():
    assert Collector(RandomPolicy(seed=0), TicTacToe()).collect(n_episode=2).returns.shape == (2, 2)
    env = GymVectorEnv(DummyVectorEnv([TicTacToe] * 2))
    obs, _ = env.reset()
    assert obs["obs"].shape == (2, 3, 3)
    _, _, _, _, infos = env.step([0, 4])
    assert infos["seat"].tolist() == [0, 0]


def test_an_illegal_action_is_refused_and_a_seed_handed_on():
    env = DummyVectorEnv([lambda: MultiAgentEnv(TwoPly())] * 2)
    env.reset(seed=[5, 6])
    assert env.get_env_attr("seed_told") == [5, 6]
    with pytest.raises(IllegalActionError, match=r"action 2 of agent_1 is illegal; legal are \[0, 1\]"):
        env.step([0, 2])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TwoPly(), r"one reward, not \(2,\) of them; .* as MultiAgentEnv\(env\)"),
        (lambda: MultiAgentEnv(TwoPly(first_id=0), first_id=1), "agent_id 0 is not among 1 to 2; see num_agents and"),
        (lambda: MultiAgentEnv(TwoPly(), num_agents=3), r"rewards of shape \(2,\), not one for each of 3 agents"),
        (lambda: MultiAgentEnv(gym.make("CartPole-v1")), "an observation is a dictionary of agent_id, obs and mask"),
        (lambda: Old(), r"returns an observation and an info, not a dict; .* is given as MultiAgentEnv\(env\)"),
    ],
)
def test_what_is_refused(make, message):
    with pytest.raises(UsageError, match=message):
        Collector(_Zero(), DummyVectorEnv([make])).collect(n_episode=1)


class Old(gym.Env):
    """The manual's form without its base class."""

    observation_space, action_space = gym.spaces.Box(0, 1, (1,)), gym.spaces.Discrete(2)

    def reset(self, seed=None, options=None):
        return {"agent_id": 1, "obs": np.zeros(1), "mask": np.ones(2, bool)}


class _Zero(RandomPolicy):
    def forward(self, batch, state=None):
        return Batch(act=np.zeros(len(batch.env_id), int))
