"""What becomes of episodes under way when a collector begins new ones."""

import gymnasium as gym
import numpy as np
import pytest

from arena.collector import Collector
from arena.data import CachedReplayBuffer, PrioritizedVectorReplayBuffer, ReplayBuffer, VectorReplayBuffer
from arena.env import DummyVectorEnv
from arena.policy.random import RandomPolicy


def collector(buffer) -> Collector:
    return Collector(RandomPolicy(seed=0), DummyVectorEnv([lambda: gym.make("CartPole-v1")] * 2), buffer)


BUFFERS = [
    lambda: VectorReplayBuffer(400, 2),
    lambda: VectorReplayBuffer(400, 2, ignore_obs_next=True, stack_num=2),
    lambda: PrioritizedVectorReplayBuffer(400, 2, alpha=0.6, beta=0.4),
    lambda: CachedReplayBuffer(ReplayBuffer(400), 2, 200),
]


@pytest.mark.parametrize("make", BUFFERS)
@pytest.mark.parametrize("how", ["reset_env", "reset_before_collect", "another collector"])
def test_episodes_are_cut_and_never_joined(make, how):
    buffer = make()
    first = collector(buffer)
    first.collect(n_step=10, random=True)
    newest = buffer.unfinished_index()
    assert len(newest) == 2
    if how == "another collector":
        collector(buffer).collect(n_step=10, random=True)
    else:
        if how == "reset_env":
            first.reset_env()
        first.collect(n_step=10, random=True, reset_before_collect=how == "reset_before_collect")
    assert buffer.truncated[newest].all()
    assert buffer.done[newest].all()
    assert not buffer.terminated[newest].any()
    assert (buffer.next(newest) == newest).all()
    assert np.isin(buffer.prev(newest + 1), newest + 1).all(), "what follows begins an episode"
    assert len(buffer.unfinished_index()) == 2


def test_the_return_of_a_cut_episode_is_not_counted_with_the_next():
    buffer = VectorReplayBuffer(20, 2)
    transition = {"obs": [0, 0], "act": [0, 0], "rew": [1.0, 1.0], "terminated": [False, False], "obs_next": [1, 1]}
    buffer.add(transition | {"truncated": [False, False]})
    assert buffer.cut().tolist() == [0, 10]
    _, returns, lengths, starts = buffer.add(transition | {"truncated": [True, False]})
    assert (returns.tolist(), lengths.tolist(), starts.tolist()) == ([1.0, 0.0], [1, 0], [1, 11])
    assert buffer.cut().tolist() == [11]
    assert buffer.cut().tolist() == []
    assert VectorReplayBuffer(20, 2).cut().tolist() == []
