"""Environments that step half of them at a time bring what they bring all at once."""

import gymnasium as gym
import numpy as np
import pytest
import torch

from agents.algorithms import dqn, ppo
from agents.configs.on_policy import PPOConfig
from agents.configs.value_based import DQNConfig
from arena.base.errors import DivergedError, UsageError
from arena.collector import Collector
from arena.collector.halves_collector import HalvesCollector
from arena.data import VectorReplayBuffer
from arena.env import DummyVectorEnv
from arena.training.tasks import GymTask

CPU = torch.device("cpu")


def collector_of(env_id: str, number: int, kind, *arguments):
    torch.manual_seed(0)
    policy = ppo.build(GymTask(env_id).spaces, PPOConfig(hidden=8), True)
    policy.reset(1)
    env = DummyVectorEnv([lambda: gym.make(env_id, max_episode_steps=15)] * number)
    collector = kind(policy, env, VectorReplayBuffer(100 * number, number), *arguments)
    collector.reset_env({"seed": 3})
    return collector


@pytest.mark.parametrize("env_id", ["CartPole-v1", "Pendulum-v1"])
@pytest.mark.parametrize("number", [1, 2, 7])
def test_what_is_stored_is_that_of_a_collector(env_id, number):
    ours, theirs = collector_of(env_id, number, HalvesCollector, CPU), collector_of(env_id, number, Collector)
    for _ in range(3):
        stats, expected = ours.collect(n_step=20 * number), theirs.collect(n_step=20 * number)
        assert stats.n_collected_steps == expected.n_collected_steps == 20 * number
        assert stats.n_collected_episodes == expected.n_collected_episodes > 0
        np.testing.assert_allclose(sorted(stats.returns), sorted(expected.returns), rtol=1e-4)
        stored, wanted = (collector.buffer.state_dict().storage for collector in (ours, theirs))
        for key in ("obs", "act", "rew", "terminated", "truncated", "obs_next"):
            np.testing.assert_allclose(stored[key], wanted[key], rtol=1e-4, atol=1e-5, err_msg=key)
        for key in ("logp", "value"):
            np.testing.assert_allclose(stored.policy[key], wanted.policy[key], rtol=1e-4, atol=1e-5, err_msg=key)


def test_episodes_and_random_actions_are_collected_as_elsewhere():
    ours, theirs = (collector_of("CartPole-v1", 4, *kind) for kind in ((HalvesCollector, CPU), (Collector,)))
    for options in ({"n_episode": 6}, {"n_step": 8, "random": True}):
        assert ours.collect(**options).n_collected_steps > 0
    assert ours.collect(n_episode=6, reset_before_collect=True).n_collected_episodes == 6
    assert theirs.collect(n_episode=6, reset_before_collect=True).n_collected_episodes == 6


def test_a_policy_that_takes_arrays_is_refused():
    policy = dqn.build(GymTask("CartPole-v1").spaces, DQNConfig(hidden=8), True)
    env = DummyVectorEnv([lambda: gym.make("CartPole-v1")])
    with pytest.raises(UsageError, match="DQNPolicy does not answer tensors with tensors: give it to a Collector"):
        HalvesCollector(policy, env, None, CPU)


def test_scores_that_are_no_numbers_end_the_collection():
    collector = collector_of("CartPole-v1", 2, HalvesCollector, CPU)
    for parameter in collector.policy.parameters():
        parameter.data.fill_(float("nan"))
    with pytest.raises(DivergedError, match="not numbers"):
        collector.collect(n_step=2)
