"""PettingZoo's environments whatever their spaces: dictionaries, others for each agent; and handed over as they are."""

import gymnasium as gym
import numpy as np
import pytest
import torch

from agents.algorithms.dqn import DQNPolicy
from arena.collector import Collector
from arena.data import Batch, VectorReplayBuffer
from arena.env import (
    DummyVectorEnv,
    GymVectorEnv,
    ParallelPettingZooEnv,
    PettingZooEnv,
    ShmemVectorEnv,
    SubprocVectorEnv,
)
from arena.policy.manager import MultiAgentPolicyManager
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from tests.collector.games import Scripted
from tests.env.aec import AtOnce, MaskInInfo, Nested, Uneven, Unlike
from tests.env.test_multi_agent import _OfBoards
from tests.env.test_parallel import Race
from tests.match.players import Lowest

SCRIPT = {"turns": ["a", "b", "a", "b"], "rewards": {1: {"a": 0.5}, 3: {"a": -1.0, "b": 1.0}}}


@pytest.mark.parametrize("vector", [DummyVectorEnv, SubprocVectorEnv, ShmemVectorEnv])
def test_observations_in_dictionaries_are_stored_part_by_part(vector):
    env = vector([lambda: PettingZooEnv(Nested(**SCRIPT))] * 2)
    buffer = VectorReplayBuffer(40, 4)
    collector = Collector(Lowest(), env, buffer)
    collector.collect(n_episode=2)
    collector.close()
    for ring in (0, 2):
        rows = buffer.buffers[ring][:]
        assert rows.obs.obs.board.at.tolist() == [[0, 0], [2, 0]]
        assert rows.obs_next.obs.board.at.tolist() == [[2, 0], [4, 0]]
        assert rows.obs_next.obs.board.half.tolist() == [[1.0], [2.0]]
        assert [pair[0] for pair in rows.obs_next.obs.pair] == [2, 4]
        assert rows.obs.mask.tolist() == [[True, True, False, False, False], [False, False, True, True, False]]
        assert rows.rew.tolist() == [0.5, -1.0]
        assert rows.terminated.tolist() == [False, True]


def test_what_is_seen_beside_the_mask_has_the_space_it_says():
    env = PettingZooEnv(Nested(**SCRIPT))
    assert set(env.observation_space.spaces) == {"board", "pair"}
    obs, _ = env.reset()
    assert set(obs["obs"]) == {"board", "pair"}
    shown = GymVectorEnv(DummyVectorEnv([lambda: PettingZooEnv(Nested(**SCRIPT))] * 2))
    obs, _ = shown.reset()
    assert obs["obs"]["board"]["at"].shape == (2, 2)
    assert obs["obs"]["pair"][0].tolist() == [0, 0]


@pytest.mark.parametrize("agents", [("a", "b"), ("b", "a")])
def test_agents_of_different_spaces_are_shown_one_in_which_both_find_room(agents):
    env = PettingZooEnv(Uneven(**SCRIPT, agents=agents))
    assert (env.observation_space.shape, env.action_space) == ((3,), gym.spaces.Discrete(6))
    buffer = VectorReplayBuffer(20, 2)
    Collector(Highest(), DummyVectorEnv([lambda: env]), buffer).collect(n_episode=1)
    a, b = (buffer.buffers[agents.index(agent)][:] for agent in "ab")
    seats = [agents.index(agent) for agent in "ab"]
    assert a.obs.obs.tolist() == [[0, seats[0], 0], [2, seats[0], 0]], "filled up with zeros"
    assert b.obs.obs.tolist() == [[1, seats[1], ord("b")], [3, seats[1], ord("b")]]
    assert a.obs.mask.tolist() == [[True, True] + [False] * 4, [False, False, True, True, False, False]]
    assert b.act.tolist() == [5, 5]
    assert a.rew.tolist() == [0.5, -1.0]


class Highest(Policy):
    """Plays the legal action of the highest number."""

    def forward(self, batch, state=None):
        mask = batch.obs.mask
        return Batch(act=mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1))


def test_without_a_mask_the_actions_of_others_are_illegal():
    class Plain(Uneven):
        def observe(self, agent):
            return super().observe(agent)["observation"]

    env = PettingZooEnv(Plain(**SCRIPT))
    assert env.reset()[0]["mask"].tolist() == [True] * 5 + [False]
    masked = PettingZooEnv(MaskInInfo(Uneven(**SCRIPT)))
    assert masked.reset()[0]["mask"].tolist() == [True, True] + [False] * 4


def test_a_learner_for_each_space_learns():
    torch.manual_seed(0)
    env = DummyVectorEnv([lambda: PettingZooEnv(Uneven(**SCRIPT))] * 2)
    policies = []
    for _ in env.agents:
        network = torch.nn.Linear(3, 6)
        policies.append(DQNPolicy(_OfBoards(network), torch.optim.Adam(network.parameters(), 0.01)))
    manager = MultiAgentPolicyManager(policies, env)
    buffer = VectorReplayBuffer(80, 4)
    Collector(manager, env, buffer, exploration_noise=True).collect(n_episode=8)
    figures = manager.update(16, buffer)
    assert {"a/loss", "b/loss"} <= figures.keys()


def test_agents_at_once_with_boxes_of_their_own():
    """Actions are cut to what the agent has; dictionaries are filled up part by part."""
    env = ParallelPettingZooEnv(AtOnce())
    assert (env.observation_space["view"].shape, env.observation_space["kind"].n) == ((2, 3), 3)
    assert (env.action_space.shape, env.action_space.high.tolist()) == ((2,), [2.0, 1.0])
    buffer = VectorReplayBuffer(20, 2)
    Collector(Twos(), DummyVectorEnv([lambda: env]), buffer).collect(n_episode=1)
    assert [{agent: act.tolist() for agent, act in acts.items()} for acts in env.env.taken] == [
        {"a": [2.0, 3.0], "b": [2.0]}
    ] * 2
    a, b = (ring[:] for ring in buffer.buffers)
    assert a.obs.obs.view[0].tolist() == [[1, 1, 0], [1, 1, 0]]
    assert b.obs.obs.view[0].tolist() == [[1, 1, 1], [0, 0, 0]]
    assert b.rew.tolist() == [1.0, 1.0]


class Twos(Policy):
    """Always acts by [2, 3]."""

    def forward(self, batch, state=None):
        return Batch(act=np.tile([2.0, 3.0], (len(batch.env_id), 1)))


def test_spaces_that_have_nothing_in_common_are_flattened():
    env = PettingZooEnv(Unlike(**SCRIPT))
    assert env.observation_space.shape == (9,)
    assert env.reset()[0]["obs"].shape == (9,)


def test_environments_handed_over_as_they_are():
    """To a collector by itself, or to a vector environment: the adapters are found for them."""
    for env in (Scripted(**SCRIPT), DummyVectorEnv([lambda: Scripted(**SCRIPT)] * 2)):
        stats = Collector(Lowest(), env).collect(n_episode=2)
        assert stats.returns.tolist() == [[-0.5, 1.0]] * 2
    bare, adapted = Race(), ParallelPettingZooEnv(Race())
    assert Collector(Lowest(), bare).collect(n_episode=1) is not None
    told = [Collector(RandomPolicy(seed=1), env).collect(n_episode=3).returns.tolist() for env in (bare, adapted)]
    assert told[0] == told[1]
    elsewhere = SubprocVectorEnv([lambda: Scripted(**SCRIPT)] * 2)
    assert elsewhere.agents == ("a", "b")
    elsewhere.close()
