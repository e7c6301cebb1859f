"""CartPole-v1: hold up a pole for 500 steps, learned within 200,000."""

from typing import Any

from agents import c51, dqn, fqf, iqn, qrdqn, rainbow
from agents.value_learning import ValueConfig
from arena.policy.kinds import Algorithm
from learning.running import Check, GymTraining

TASK, THRESHOLD, STEPS = "CartPole-v1", 475.0, 200_000

COMMON: dict[str, Any] = {
    "learning_rate": 5e-4,
    "discount": 0.99,
    "n_step": 3,
    "target_update_freq": 200,
    "batch_size": 64,
    "update_per_step": 0.1,
    "buffer_size": 50_000,
    "hidden": 128,
}
"""Returns at this discount lie between 0 and 100."""


def value_based(algorithm: Algorithm, config: ValueConfig, **options: Any) -> GymTraining:
    """How an algorithm that learns action values is trained."""
    plan: dict[str, Any] = {"warm_up": 1_000, "eps": (0.5, 0.05, 20_000), "goal": 495.0}
    return GymTraining(TASK, algorithm, config, STEPS, **plan | options)


deep_q_network = value_based(dqn.ALGORITHM, dqn.DQNConfig(**COMMON))

TRAININGS = {
    "dqn": deep_q_network,
    "c51": value_based(c51.ALGORITHM, c51.C51Config(**COMMON, v_min=0.0, v_max=100.0)),
    "rainbow": value_based(
        rainbow.ALGORITHM,
        rainbow.RainbowConfig(**COMMON, v_min=0.0, v_max=100.0),
        eps=None,
        priority=(0.5, 0.4),
    ),
    "qrdqn": value_based(qrdqn.ALGORITHM, qrdqn.QRDQNConfig(**COMMON)),
    "iqn": value_based(iqn.ALGORITHM, iqn.IQNConfig(**COMMON)),
    "fqf": value_based(fqf.ALGORITHM, fqf.FQFConfig(**COMMON, num_fractions=8)),
}

ROWS = [Check(name, TASK, THRESHOLD, training) for name, training in TRAININGS.items()]
