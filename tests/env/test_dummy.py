"""`DummyVectorEnv` over Gymnasium's CartPole: ids, seeds, ends, attributes, and what is refused."""

import gymnasium as gym
import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.env import DummyVectorEnv


@pytest.fixture
def env():
    made = DummyVectorEnv([lambda: gym.make("CartPole-v1", max_episode_steps=5)] * 3)
    yield made
    made.close()


def first_obs(seed: int) -> list[float]:
    obs, _ = gym.make("CartPole-v1").reset(seed=seed)
    return obs.tolist()


def test_what_it_says_of_itself(env):
    assert len(env) == 3
    assert (env.agents, env.num_agents) == ((), 1)
    assert [space.n for space in env.action_space] == [2, 2, 2]
    assert [space.shape for space in env.observation_space] == [(4,)] * 3


@pytest.mark.parametrize(("seed", "seeds"), [(7, [7, 8, 9]), ([3, 3, 5], [3, 3, 5]), (np.int64(2), [2, 3, 4])])
def test_seeds_are_counted_up_or_as_listed(env, seed, seeds):
    obs, info = env.reset(seed=seed)
    assert obs.tolist() == [first_obs(one) for one in seeds]
    assert obs.dtype == np.float32
    assert info.tolist() == [{}, {}, {}]


def test_without_a_seed_every_episode_is_another(env):
    assert len({tuple(row) for _ in range(3) for row in env.reset()[0].tolist()}) == 9


def test_a_seed_given_beforehand_counts_once(env):
    assert env.seed(4) == [4, 5, 6]
    assert env.reset(1)[0].tolist() == [first_obs(5)]
    assert env.reset(1)[0].tolist() != [first_obs(5)]
    assert env.reset([0, 2], seed=9)[0].tolist() == [first_obs(9), first_obs(10)]
    assert env.seed() == [None, None, None]


def test_environments_are_stepped_by_id(env):
    env.reset(seed=0)
    alone = gym.make("CartPole-v1")
    alone.reset(seed=2)
    obs, rew, terminated, truncated, info = env.step([1, 0], id=[2, 0])
    expected, *_ = alone.step(1)
    assert obs[0].tolist() == expected.tolist()
    assert (rew.tolist(), rew.dtype) == ([1.0, 1.0], np.float64)
    assert terminated.tolist() == truncated.tolist() == [False, False]
    assert (info.shape, info.dtype) == ((2,), object)


def test_a_finished_environment_waits_for_its_reset(env):
    env.reset(seed=0)
    for _ in range(4):
        env.step([0, 1, 0])
    env.reset(1)
    _, _, terminated, truncated, _ = env.step([0, 1, 0])
    assert truncated.tolist() == [True, False, True]
    assert terminated.tolist() == [False, False, False]
    with pytest.raises(UsageError, match=r"environments \[0, 2\] are done or not yet reset"):
        env.step([0, 0, 0])
    env.step([0], id=1)
    env.reset([0, 2])
    env.step([0, 0, 0])


def test_before_the_first_reset_nothing_steps(env):
    with pytest.raises(UsageError, match=r"environments \[0, 1, 2\] are done or not yet reset"):
        env.step([0, 0, 0])


@pytest.mark.parametrize("action", [[0, 0], [0, 0, 0, 0], []])
def test_actions_are_one_an_environment(env, action):
    env.reset()
    with pytest.raises(UsageError, match=rf"step takes 3 actions, one per environment, not {len(action)}"):
        env.step(action)


@pytest.mark.parametrize(
    ("id", "message"),
    [
        (3, "not among the environments 0 to 2"),
        ([-1], "not among the environments 0 to 2"),
        ([0, 0], "names an environment twice"),
        (0.5, "not made of whole numbers"),
        ([True, False, True], "not made of whole numbers"),
        ([], "id is empty"),
    ],
)
def test_ids_are_refused_that_mean_nothing(env, id, message):
    env.reset()
    for call in (lambda: env.reset(id), lambda: env.step(np.zeros(np.size(id), int), id)):
        with pytest.raises(UsageError, match=message):
            call()


def test_as_many_seeds_as_environments(env):
    with pytest.raises(UsageError, match="2 seeds for 3 environments"):
        env.reset(seed=[1, 2])


def test_attributes(env):
    assert [spec.id for spec in env.get_env_attr("spec")] == ["CartPole-v1"] * 3
    env.set_env_attr("gravity", 1.5, id=[0, 2])
    assert env.get_env_attr("gravity") == [1.5, 9.8, 1.5]
    assert env.get_env_attr("gravity", id=1) == [9.8]
    with pytest.raises(AttributeError):
        env.get_env_attr("levity")


def test_closed_is_closed(env):
    env.reset()
    env.close()
    env.close()
    assert env.is_closed
    calls = [env.reset, lambda: env.step([0, 0, 0]), env.render, env.seed, lambda: env.get_env_attr("spec")]
    for call in calls:
        with pytest.raises(UsageError, match="the vector environment is closed"):
            call()


def test_dictionaries_come_as_batches():
    class Pair(gym.Env):
        observation_space = gym.spaces.Dict(a=gym.spaces.Discrete(9), b=gym.spaces.Box(0, 1, (2,)))
        action_space = gym.spaces.Discrete(2)

        def reset(self, seed=None, options=None):
            return {"a": 1, "b": np.ones(2)}, options

        def step(self, action):
            return {"a": action, "b": np.zeros(2)}, 0.5, False, False, {"took": action}

    env = DummyVectorEnv([Pair, Pair])
    obs, info = env.reset(options={"level": 2})
    assert (obs.a.tolist(), obs.b.shape) == ([1, 1], (2, 2))
    assert info.tolist() == [{"level": 2}] * 2
    obs, *_, info = env.step([4, 5])
    assert (obs.a.tolist(), info.tolist()) == ([4, 5], [{"took": 4}, {"took": 5}])


def test_at_least_one_environment():
    with pytest.raises(UsageError, match="at least one function"):
        DummyVectorEnv([])
