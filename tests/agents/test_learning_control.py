"""Actors learn to control: a pole to be held up, a pendulum to be swung up. The whole list: scripts/learning_checks.py.

A random player holds the pole up for about 20 steps of 500; of the pendulum it makes about -1200, and the best -150.
"""

import gymnasium as gym
import numpy as np
import pytest
import torch

from agents.algorithms import sac
from arena.collector import Collector
from arena.data import VectorReplayBuffer
from arena.env import DummyVectorEnv
from arena.policy.base import BasePolicy
from arena.policy.registration import Algorithm, Spaces
from arena.policy.registry import learning_algorithm
from arena.trainer import OffpolicyTrainer, OnpolicyTrainer
from arena.trainer.base import Schedule

pytestmark = pytest.mark.slow("trains to a score")
ENVS = 10


def environments(name: str, count: int, seed: int) -> DummyVectorEnv:
    envs = DummyVectorEnv([lambda: gym.make(name)] * count)
    envs.seed(seed)
    return envs


def started(name: str, algorithm: Algorithm, config, size: int) -> tuple[BasePolicy, Collector]:
    np.random.seed(1)
    torch.manual_seed(1)
    made = gym.make(name)
    policy = algorithm.build(Spaces(made.observation_space, made.action_space), config, True)
    return policy, Collector(policy, environments(name, ENVS, 1), VectorReplayBuffer(size, ENVS))


def score(name: str, policy: BasePolicy) -> float:
    policy.eval()
    return float(Collector(policy, environments(name, 20, 1_000)).collect(n_episode=40).returns_stat.mean)


PLAIN = {"hidden": 64, "reward_normalization": True, "batch_size": 2_000}


@pytest.mark.parametrize(
    ("name", "options", "steps"),
    [
        ("pg", PLAIN | {"learning_rate": 3e-3}, 60_000),
        ("trpo", PLAIN | {"optim_critic_iters": 10}, 40_000),
        ("ppo", None, 20_000),
        ("a2c", None, 60_000),
    ],
)
def test_the_pole_is_held_up(name, options, steps):
    """Without options by the defaults of `arena train gym:CartPole-v1`, which for boards would not do."""
    algorithm = learning_algorithm(name)
    config = algorithm.usual_config(single=True) if options is None else algorithm.config(**options)
    policy, collector = started("CartPole-v1", algorithm, config, 2_010)
    plan = Schedule(1, steps, config.batch_size, step_per_collect=1_000, verbose=False)
    OnpolicyTrainer(policy, collector, None, plan, config.repeat).run()
    assert score("CartPole-v1", policy) >= 195


def test_the_pendulum_is_swung_up():
    config = sac.SACConfig(gamma=0.98, batch_size=128, hidden=64, update_per_step=0.5)
    policy, collector = started("Pendulum-v1", learning_algorithm("sac"), config, 20_000)
    collector.collect(n_step=1_000, random=True)
    plan = Schedule(1, 7_000, config.batch_size, step_per_collect=ENVS, verbose=False)
    OffpolicyTrainer(policy, collector, None, plan, config.update_per_step).run()
    assert score("Pendulum-v1", policy) >= -400
