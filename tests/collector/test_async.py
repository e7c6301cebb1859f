"""`AsyncCollector`: the same data as without haste, its hooks, and what it refuses."""

import gymnasium as gym
import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.collector import AsyncCollector, Collector
from arena.data import Batch, VectorReplayBuffer
from arena.env import DummyVectorEnv, GameVectorEnv, PettingZooEnv, ShmemVectorEnv, SubprocVectorEnv
from arena.policy.manager import MultiAgentPolicyManager
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from tests.collector.games import Scripted
from tests.collector.slow import Sleeper, rings, slow
from tests.env.troubled import Troubled
from tests.match.players import Lowest
from tests.policy.policies import LearnerInTraining, Recurrent

KINDS = [DummyVectorEnv, SubprocVectorEnv, ShmemVectorEnv]
THREE = {"turns": ["a", "b", "a", "c", "a"], "rewards": {1: {"a": 2.0}, 4: {"c": -1.0, "a": 1.0}}, "deaths": {2: ["b"]}}
TWO = {"turns": ["a", "b", "b", "a"], "rewards": {1: {"a": 0.5}, 3: {"a": -1.0, "b": 1.0}}}


class Lean(Policy):
    """Pushes the cart to where the pole leans."""

    def forward(self, batch, state=None):
        return Batch(act=(batch.obs[:, 2] > 0).astype(int), policy=Batch(lean=batch.obs[:, 2]))


def games(script):
    return lambda: PettingZooEnv(Scripted(**script))


CASES = {
    "one agent": (lambda: gym.make("CartPole-v1"), Lean, 3),
    "three agents": (games(THREE), Lowest, 9),
    "a learner and somebody frozen": (games(TWO), lambda: MultiAgentPolicyManager([LearnerInTraining(), Lowest()]), 3),
    "memories": (games(TWO), lambda: MultiAgentPolicyManager([Recurrent(1), Recurrent(2)]), 6),
}


@pytest.mark.full
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", KINDS)
def test_it_stores_what_a_collector_stores(opened, case, kind):
    """Each environment plays as many episodes as it would otherwise, whoever is faster."""
    env_fn, make_policy, count = CASES[case]
    told = []
    for collector_kind, env_kind, options in ((Collector, DummyVectorEnv, {}), (AsyncCollector, kind, {"wait_num": 2})):
        env = env_kind([env_fn] * 3, **options)
        collector = opened(collector_kind, make_policy(), env, VectorReplayBuffer(300 * count, count))
        collector.reset(gym_reset_kwargs={"seed": 3})
        told.append((collector, collector.collect(n_episode=6)))
    (ours, stats), (theirs, expected) = told[1], told[0]
    for ring, same in zip(rings(ours), rings(theirs), strict=True):
        one, other = (rows.pop("policy") for rows in (ring, same))
        assert ring == same
        assert len(ring) > 0
        for key in one.keys() | other.keys():  # scores depend a little on how many rows are multiplied at once
            np.testing.assert_allclose(one[key], other[key], rtol=1e-4)
    assert sorted(stats.lens.tolist()) == sorted(expected.lens.tolist())
    assert stats.n_collected_steps == expected.n_collected_steps
    np.testing.assert_allclose(stats.returns_stat.mean, expected.returns_stat.mean)


@pytest.mark.parametrize("numbers", [{"n_step": 50}, {"n_episode": 7}])
@pytest.mark.parametrize("case", CASES)
def test_in_one_process_all_is_equal(opened, case, numbers):
    env_fn, make_policy, count = CASES[case]
    told = []
    for kind, options in ((Collector, {}), (AsyncCollector, {"wait_num": 1})):
        env = DummyVectorEnv([env_fn] * 3, **options)
        collector = opened(kind, make_policy(), env, VectorReplayBuffer(300 * count, count))
        collector.reset(gym_reset_kwargs={"seed": 3})
        stats = [collector.collect(**numbers) for _ in range(3)]
        told.append((collector.buffer[:], [(one.returns.tolist(), one.lens.tolist()) for one in stats]))
    assert told[0] == told[1]


@pytest.mark.parametrize("kind", KINDS)
def test_hooks_are_told_of_those_that_answered(opened, kind):
    told = []

    def double(**given):
        told.append(given["env_id"].tolist())
        return {"rew": given["rew"] * 2} if "rew" in given else None

    collector = slow(opened, kind, Sleeper(0, 30, 0), wait_num=2, preprocess_fn=double)
    stats = collector.collect(n_step=8)
    assert told[0] == [0, 1, 2]
    assert sum(map(len, told[1:])) == stats.n_collected_steps
    assert [ring.rew.tolist() for ring in rings(collector)] == [
        (2.0 * np.arange(1, len(ring) + 1)).tolist() for ring in rings(collector)
    ]


def test_noise_and_random_actions(opened):
    class Loud(Sleeper):
        def exploration_noise(self, act, batch):
            return act + 1

    collector = slow(opened, DummyVectorEnv, Loud(0, 0), wait_num=1, exploration_noise=True)
    collector.collect(n_step=2)
    assert [ring.act.tolist() for ring in rings(collector)] == [[1], [1]]
    collector.env.set_env_attr("action_space", gym.spaces.Discrete(2, start=5))
    collector.reset()
    collector.collect(n_step=20, random=True)
    assert set(collector.buffer[:].act.tolist()) == {5, 6}


def test_returns_are_vectors_over_the_agents(opened):
    env = SubprocVectorEnv([games(TWO)] * 3, wait_num=1)
    stats = opened(AsyncCollector, Lowest(), env, None).collect(n_episode=5)
    assert stats.returns.tolist() == [[-0.5, 1.0]] * len(stats.returns)
    assert len(stats.returns) >= 5


def test_what_is_not_asynchronous_is_refused(opened):
    with pytest.raises(UsageError, match="AsyncCollector needs a vector environment with wait_num or timeout; Dummy"):
        AsyncCollector(Lean(), DummyVectorEnv([Troubled] * 2))
    with pytest.raises(UsageError, match="GameVectorEnv has neither"):
        AsyncCollector(RandomPolicy(seed=0), GameVectorEnv("tic_tac_toe", 2))
    with pytest.raises(UsageError, match="steps in parts: give it to AsyncCollector"):
        Collector(Lean(), DummyVectorEnv([Troubled] * 2, timeout=1.0))


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({}, "give one of n_step=None and n_episode=None"),
        ({"n_step": 1, "n_episode": 1}, "give one of"),
        ({"n_step": 0}, "a whole number above 0"),
        ({"n_step": 2, "reset_before_collect": True}, "reset_before_collect has an effect with n_episode only"),
        ({"n_episode": 2, "gym_reset_kwargs": {"seed": 1}}, "give them with reset_before_collect=True"),
    ],
)
def test_what_means_nothing(opened, numbers, message):
    collector = slow(opened, DummyVectorEnv, Sleeper(0, 0), wait_num=1, length=3)
    with pytest.raises(UsageError, match=message):
        collector.collect(**numbers)
    assert collector.collect(n_episode=2).lens.tolist() == [3, 3]
