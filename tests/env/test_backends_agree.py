"""The same seeds and actions give the same data, whatever holds the environments."""

from functools import partial

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Tuple
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.base.errors import UsageError
from arena.collector.collector import Collector
from arena.data import Batch, VectorReplayBuffer
from arena.env import DummyVectorEnv, PettingZooEnv, ShmemVectorEnv, SubprocVectorEnv, WorkerError
from arena.env.workers.shared import Moved, ObservationReader, ObservationWriter
from arena.policy.random import RandomPolicy
from tests.collector.games import Scripted
from tests.env.troubled import Anything

pytestmark = pytest.mark.full

BACKENDS = [DummyVectorEnv, SubprocVectorEnv, ShmemVectorEnv]
NESTED = Dict(
    image=Box(0, 255, (2, 3), np.uint8),
    deep=Dict(half=Box(-1, 1, (2,), np.float16), piece=Discrete(4), empty=Box(0, 1, (0,))),
    hands=Tuple((MultiBinary(3), MultiDiscrete([2, 5]), Discrete(3, start=-1))),
)
leaves = st.sampled_from(
    [Box(-1, 1, (3,)), Box(0, 9, (), np.int8), Discrete(7), MultiBinary([2, 2]), MultiDiscrete([[2, 3], [4, 5]])]
)
spaces = st.recursive(
    leaves,
    lambda inner: (
        st.dictionaries(st.sampled_from("abc"), inner, min_size=1).map(Dict)
        | st.lists(inner, min_size=1, max_size=3).map(Tuple)
    ),
    max_leaves=6,
)


def equal(one, other) -> bool:
    """Whether two results hold the same, types included."""
    if isinstance(one, Batch | dict):
        keys = set(one.keys())  # a Batch itself iterates over rows
        return keys == set(other.keys()) and all(equal(one[key], other[key]) for key in keys)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    one, other = np.asarray(one), np.asarray(other)
    if one.dtype == object and one.ndim == 0:
        return bool(one == other)
    if one.dtype == object:
        return one.shape == other.shape and all(map(equal, one.ravel().tolist(), other.ravel().tolist()))
    return one.shape == other.shape and one.dtype == other.dtype and bool((one == other).all())


def history(kind, env_fn, count: int, seed: int, steps: int, **options) -> list:
    """Everything that random actions bring, finished environments reset."""
    env = kind([env_fn] * count, **options)
    rng = np.random.default_rng(seed)
    told = [env.reset(seed=seed)]
    for _ in range(steps):
        told.append(env.step(rng.integers(0, 2, count)))
        if (over := np.flatnonzero(told[-1][2] | told[-1][3])).size:
            told.append(env.reset(over, seed=int(rng.integers(100)), options={"again": True}))
    env.close()
    return told


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(space=spaces, seed=st.integers(0, 999), count=st.integers(1, 3))
def test_any_nest_of_spaces(space, seed, count):
    expected = history(DummyVectorEnv, partial(Anything, space), count, seed, 5)
    for kind in BACKENDS[1:]:
        assert all(map(equal, history(kind, partial(Anything, space), count, seed, 5), expected))


@pytest.mark.parametrize("kind", BACKENDS)
@pytest.mark.parametrize("options", [{}, {"wait_num": 3}])
def test_cartpole_and_a_nest_of_every_space(kind, options):
    for env_fn in (lambda: gym.make("CartPole-v1"), lambda: Anything(NESTED)):
        expected = history(DummyVectorEnv, env_fn, 3, 1, 60, **options)
        assert all(map(equal, history(kind, env_fn, 3, 1, 60, **options), expected))


@settings(max_examples=200, deadline=None)
@given(space=spaces, seed=st.integers(0, 999))
def test_shared_memory_gives_back_what_was_put_there(space, seed):
    writer, reader = ObservationWriter(), ObservationReader()
    space.seed(seed)
    for _ in range(3):
        obs = space.sample()
        moved = writer.put(obs)
        assert isinstance(moved, Moved)
        seen, _ = reader.fetch((moved, {}))
        assert equal(seen, obs)
    odd = {"another": 1}
    assert writer.put(odd) is odd
    reader.close()
    writer.close()


@pytest.mark.parametrize("obs", ["text", {"a": object()}, [1, 2], np.array(["x"]), (1, None), ()])
def test_what_is_not_made_of_numbers_goes_another_way(obs):
    writer = ObservationWriter()
    assert writer.put(obs) is obs
    writer.close()


def collected(kind) -> VectorReplayBuffer:
    """Three agents, one of whom dies early, play in three environments."""
    script = {
        "turns": ["a", "b", "a", "c", "a"],
        "rewards": {1: {"a": 2.0}, 4: {"c": -1.0, "a": 1.0}},
        "deaths": {2: ["b"]},
    }
    env = kind([lambda: PettingZooEnv(Scripted(**script))] * 3)
    collector = Collector(RandomPolicy(seed=0), env, VectorReplayBuffer(180, 9))
    collector.collect(n_episode=7)
    collector.close()
    return collector.buffer


@pytest.mark.parametrize("kind", BACKENDS[1:])
def test_the_collector_stores_the_same_of_many_agents(kind):
    ours, expected = collected(kind), collected(DummyVectorEnv)
    assert len(expected) > 20
    every = np.arange(180)
    for key in ("obs", "act", "rew", "terminated", "truncated", "obs_next"):
        assert equal(getattr(ours[every], key), getattr(expected[every], key)), key


@pytest.mark.parametrize("kind", BACKENDS)
def test_methods_of_environments_are_called(kind):
    env = kind([lambda: gym.make("CartPole-v1")] * 2)
    env.reset(seed=3)
    assert env.call("has_wrapper_attr", [(("spec",), {}), (("absent",), {})]) == [True, False]
    assert env.call("set_wrapper_attr", [((), {"name": "m", "value": 7})], id=1) == [True]
    assert env.call("m", [((), {})], id=[1]) == [7]  # an attribute that cannot be called is its own result
    with pytest.raises(UsageError, match="call takes 2 pairs of arguments, one per environment, not 1"):
        env.call("render", [((), {})])
    with pytest.raises((AttributeError, WorkerError), match="absent"):
        env.call("absent", [((), {})] * 2)
    env.close()
