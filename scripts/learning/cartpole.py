"""CartPole-v1: balance a pole for 500 steps, learned within 200,000."""

from typing import Any

from agents.algorithms import discrete_sac
from arena.policy.registration import Algorithm
from arena.policy.registry import learning_algorithm
from learning.running import Check, GymTraining

TASK, THRESHOLD, STEPS = "CartPole-v1", 475.0, 200_000


def value_based(algorithm: Algorithm, **options: Any) -> GymTraining:
    """Return the training of an algorithm that learns action values."""
    plan: dict[str, Any] = {"warm_up": 1_000, "eps": (0.5, 0.05, 20_000), "goal": 495.0}
    return GymTraining(TASK, algorithm, algorithm.single, STEPS, **plan | options)


deep_q_network = value_based(learning_algorithm("dqn"))

TRAININGS = {
    "dqn": deep_q_network,
    "c51": value_based(learning_algorithm("c51")),
    "rainbow": value_based(learning_algorithm("rainbow"), eps=None, priority=(0.5, 0.4)),
    "qrdqn": value_based(learning_algorithm("qrdqn")),
    "iqn": value_based(learning_algorithm("iqn")),
    "fqf": value_based(learning_algorithm("fqf")),
}


def on_policy(algorithm: Algorithm, per_collect: int, **options: Any) -> GymTraining:
    """Return the training of an on-policy algorithm; returns are scaled by their deviation."""
    config = algorithm.config(**{"hidden": 64, "reward_normalization": True, "batch_size": per_collect} | options)
    return GymTraining(TASK, algorithm, config, STEPS, goal=495.0, step_per_collect=per_collect)


TRAININGS |= {
    "pg": on_policy(learning_algorithm("pg"), 1_000, learning_rate=3e-3),
    "a2c": on_policy(learning_algorithm("a2c"), 250, learning_rate=2e-3),
    "ppo": GymTraining(
        TASK, learning_algorithm("ppo"), learning_algorithm("ppo").single, STEPS, goal=495.0, step_per_collect=1_000
    ),
    "npg": on_policy(learning_algorithm("npg"), 2_000, optim_critic_iters=20),
    "trpo": on_policy(learning_algorithm("trpo"), 2_000, optim_critic_iters=20),
    "discrete-sac": GymTraining(
        TASK,
        learning_algorithm("discrete-sac"),
        discrete_sac.DiscreteSACConfig(
            learning_rate=1e-3,
            estimation_step=3,
            batch_size=128,
            update_per_step=0.2,
            hidden=64,
            alpha=0.2,
            target_entropy=0.5,
        ),
        STEPS,
        goal=495.0,
    ),
}

PLAIN = ("pg", "npg", "trpo")
"""Algorithms with a lower threshold."""

ROWS = [Check(name, TASK, 195.0 if name in PLAIN else THRESHOLD, training) for name, training in TRAININGS.items()]
