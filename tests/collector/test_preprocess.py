"""`preprocess_fn`: what it is told, what it replaces, what it may not; and options of resets."""

from collections import deque

import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.collector import Collector
from arena.data import Batch, VectorReplayBuffer
from arena.env import DummyVectorEnv, GameVectorEnv, PettingZooEnv
from arena.policy.random import RandomPolicy
from tests.collector.games import Scripted
from tests.trainer.walk import LENGTH, Improver, Walk

STEP_KEYS = {"obs_next", "rew", "terminated", "truncated", "done", "act", "info", "policy", "env_id"}


def walking(preprocess_fn, envs: int = 2) -> Collector:
    policy = Improver()
    policy.updates = 1
    return Collector(policy, DummyVectorEnv([Walk] * envs), VectorReplayBuffer(100, envs), preprocess_fn)


def test_what_it_is_told():
    told: list[dict] = []
    walking(lambda **given: told.append(given)).collect(n_episode=2)
    assert [set(given) for given in told] == [{"obs", "env_id"}, *[STEP_KEYS] * LENGTH, {"obs", "env_id"}]
    assert told[0]["env_id"].tolist() == [0, 1]
    assert told[0]["obs"].tolist() == [[0.0], [0.0]]
    assert told[2]["obs_next"].tolist() == [[2.0], [2.0]]
    assert (told[2]["rew"].tolist(), told[2]["act"].tolist()) == ([1.0, 1.0], [1, 1])
    assert [given["done"].tolist() for given in told[1:5]] == [[False] * 2] * 3 + [[True] * 2]


def test_what_it_gives_is_seen_earned_and_stored():
    def double(**given):
        if "obs" in given:
            return {"obs": given["obs"] + 10}
        return Batch(obs_next=given["obs_next"] + 10, rew=given["rew"] * 2, info=Batch(of=given["env_id"] + 5))

    collector = walking(double)
    stats = collector.collect(n_episode=2)
    assert stats.returns.tolist() == [2.0 * LENGTH] * 2
    stored = collector.buffer[:]
    assert stored.obs.ravel().tolist() == [10, 11, 12, 13] * 2
    assert stored.obs_next.ravel().tolist() == [11, 12, 13, 14] * 2
    assert stored.rew.tolist() == [2.0] * 8
    assert stored.info.of.tolist() == [5] * 4 + [6] * 4


def test_what_it_returns_as_it_came_changes_nothing():
    plain, passed = walking(None), walking(lambda **given: given)
    for collector in (plain, passed):
        collector.collect(n_episode=2)
    assert plain.buffer[:] == passed.buffer[:]


def test_infos_of_the_environment_are_stored_if_it_gives_them():
    class Informed(Walk):
        def step(self, action):
            return *super().step(action)[:4], {"at": self.steps}

    for fn in (None, lambda **told: None, lambda **told: told):
        buffer = VectorReplayBuffer(100, 2)
        Collector(Improver(), DummyVectorEnv([Informed] * 2), buffer, fn).collect(n_episode=2)
        assert buffer[:].info["at"].tolist() == [1, 2, 3, 4] * 2


def test_an_episode_may_be_cut():
    collector = walking(lambda **given: {"truncated": given["obs_next"][:, 0] == 2} if "rew" in given else None)
    assert collector.collect(n_episode=2).lens.tolist() == [2, 2]
    assert collector.buffer[:].truncated.tolist() == [False, True] * 2


def test_the_manuals_processor():
    """Rewards minus the mean reward of the episodes before."""

    class Processor:
        def __init__(self, size=100):
            self.episode_log = [[], []]
            self.main_log = deque([0.0], maxlen=size)
            self.baseline = 0.0

        def preprocess_fn(self, **given):
            if "rew" not in given:
                return Batch()
            rew = given["rew"] - self.baseline
            for env, one, done in zip(given["env_id"], given["rew"], given["done"], strict=True):
                self.episode_log[env].append(one)
                if done:
                    self.main_log.append(np.mean(self.episode_log[env]))
                    self.episode_log[env] = []
            self.baseline = np.mean(self.main_log)
            return Batch(rew=rew)

    stats = walking(Processor().preprocess_fn).collect(n_episode=4)
    np.testing.assert_allclose(stats.returns, [4.0, 4.0, 4 / 3, 4 / 3])


def test_last_observations_of_several_agents_go_through_it():
    def marked(**given):
        key = "obs" if "obs" in given else "obs_next"
        seen = Batch(given[key])
        seen.obs = seen.obs + 100
        return {key: seen}

    env = DummyVectorEnv([lambda: PettingZooEnv(Scripted(turns=["a", "b"], rewards={1: {"a": -1.0, "b": 1.0}}))])
    buffer = VectorReplayBuffer(20, 2)
    Collector(RandomPolicy(seed=0), env, buffer, marked).collect(n_episode=1)
    assert buffer[:].obs.obs.tolist() == [[100, 100], [101, 101]]
    assert buffer[:].obs_next.obs.tolist() == [[102, 100], [102, 101]]
    assert buffer[:].rew.tolist() == [-1.0, 1.0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"reward": [1.0, 1.0]}, "preprocess_fn gave reward; after a step it may give act, done, env_id"),
        ({"rew": [1.0]}, "preprocess_fn gave 1 rows of rew for 2 environments"),
        ({"rew": 1.0}, "preprocess_fn gave one rew, not one per environment"),
        ({"rew": [[1.0, 2.0], [1.0, 2.0]]}, r"preprocess_fn gave rew of shape \(2, 2\), not \(2,\)"),
        ({"done": [True, True]}, "a done that is not terminated | truncated"),
        (3, "preprocess_fn gives a Batch or a dict, not int"),
    ],
)
def test_what_it_may_not_give(given, message):
    collector = walking(lambda **told: given if "rew" in told else None)
    with pytest.raises(UsageError, match=message):
        collector.collect(n_step=2)
    collector.preprocess_fn = None
    assert collector.collect(n_episode=2, reset_before_collect=True).lens.tolist() == [LENGTH] * 2


def test_options_of_a_reset_reach_the_environments():
    seen = []

    class Optional(Walk):
        def reset(self, seed=None, options=None):
            seen.append((seed, options))
            return super().reset()

    collector = Collector(Improver(), DummyVectorEnv([Optional] * 2))
    seen.clear()
    collector.reset(gym_reset_kwargs={"seed": 3, "options": {"a": 1}})
    collector.collect(n_step=2, reset_before_collect=True, gym_reset_kwargs={"options": {"b": 2}})
    assert seen == [(3, {"a": 1}), (4, {"a": 1}), (None, {"b": 2}), (None, {"b": 2})]


def test_native_games_take_a_seed_but_have_no_options():
    collector = Collector(RandomPolicy(seed=0), GameVectorEnv("tic_tac_toe", 2))
    collector.reset(gym_reset_kwargs={"seed": 3})
    with pytest.raises(UsageError, match="gym_reset_kwargs may hold seed here, not options"):
        collector.reset(gym_reset_kwargs={"options": {"a": 1}})
