"""Pendulum-v1: swing a pendulum up and keep it there, for 200 steps that cost 0 to 16 each.

The score is the mean return of 100 episodes. Offline algorithms learn from 20,000 steps of a trained SAC (seed 0).
"""

from typing import Any

from agents.algorithms import bcq, imitation
from arena.collector import Collector
from arena.data import ReplayBuffer, VectorReplayBuffer
from arena.policy.registration import Algorithm
from arena.policy.registry import learning_algorithm
from learning.data import written
from learning.running import Check, GymTraining, make_envs

TASK, THRESHOLD, GOAL = "Pendulum-v1", -250.0, -150.0
COMMON: dict[str, Any] = {"learning_rate": 1e-3, "gamma": 0.98, "batch_size": 128, "hidden": 64}


def off_policy(algorithm: Algorithm, steps: int, **options: Any) -> GymTraining:
    """Return the training of an off-policy actor-critic: an update every two steps, after 1,000 random ones."""
    config = algorithm.config(**COMMON, update_per_step=0.5, **options)
    return GymTraining(TASK, algorithm, config, steps - 1_000, GOAL, warm_up=1_000)


def on_policy(algorithm: Algorithm, steps: int, **options: Any) -> GymTraining:
    """Return the training of an on-policy algorithm: 10 episodes at a time."""
    defaults = {"hidden": 64, "discount_factor": 0.9, "reward_normalization": True, "batch_size": 2_000}
    config = algorithm.config(**defaults | options)
    return GymTraining(TASK, algorithm, config, steps, GOAL, steps_per_test=10_000, step_per_collect=2_000)


soft_actor_critic = off_policy(learning_algorithm("sac"), 60_000)

TRAININGS = {
    "ddpg": off_policy(learning_algorithm("ddpg"), 100_000),
    "td3": off_policy(learning_algorithm("td3"), 100_000),
    "sac": soft_actor_critic,
    "npg": on_policy(learning_algorithm("npg"), 250_000, optim_critic_iters=20),
    "trpo": on_policy(learning_algorithm("trpo"), 250_000, optim_critic_iters=20),
    "ppo": on_policy(learning_algorithm("ppo"), 750_000, learning_rate=1e-3, ent_coef=0.0, batch_size=125, repeat=10),
}


def played() -> ReplayBuffer:
    """Return the data of offline algorithms, in ten streams."""
    policy, _ = soft_actor_critic.learn(seed=0)
    buffer = VectorReplayBuffer(20_000, 10)
    Collector(policy.train(), make_envs(TASK, 10), buffer).collect(n_step=20_000)
    return buffer


def data() -> ReplayBuffer:
    """Return the data, written once."""
    return written("pendulum", VectorReplayBuffer, played)


def offline(name: str, algorithm: Algorithm, config: Any) -> Check:
    """Return the row of an algorithm that learns from the data."""
    train = GymTraining(TASK, algorithm, config, 10_000, GOAL, steps_per_test=1_000, data=data)
    return Check(name, f"{TASK}, offline", -300.0, train, prepare=data)


ROWS = [Check(name, TASK, THRESHOLD, training) for name, training in TRAININGS.items()]
ROWS += [
    offline("bcq", learning_algorithm("bcq"), bcq.BCQConfig(**COMMON, forward_sampled_times=20)),
    offline("imitation", learning_algorithm("imitation"), imitation.ImitationConfig(hidden=64)),
]
