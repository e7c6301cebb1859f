"""Offline: CartPole from data of the project's own DQN. The score is the mean return of 100 episodes.

A DQN (seed 0) learns to balance the pole, then plays 20,000 steps, one in five at random. Every offline algorithm
learns from these, whatever its seed.
"""

from typing import Any

from agents.algorithms import discrete_bcq, discrete_cql, discrete_crr, imitation
from arena.collector import Collector
from arena.data import ReplayBuffer, VectorReplayBuffer
from arena.policy.registration import Algorithm
from arena.policy.registry import learning_algorithm
from learning import cartpole
from learning.data import written
from learning.running import Check, GymTraining, make_envs

THRESHOLD, UPDATES = 450.0, 10_000
COMMON: dict[str, Any] = {"learning_rate": 5e-4, "batch_size": 64, "hidden": 128}
VALUES: dict[str, Any] = COMMON | {"discount_factor": 0.99, "estimation_step": 1, "target_update_freq": 200}
"""One-step targets: rewards of several steps would contain those of random actions in the data."""


def played() -> ReplayBuffer:
    """Return the data, in ten streams."""
    policy, _ = cartpole.deep_q_network.learn(seed=0)
    policy.set_eps(0.2)  # type: ignore[operator]  # a DQN, where torch sees any attribute
    buffer = VectorReplayBuffer(20_000, 10)
    Collector(policy, make_envs(cartpole.TASK, 10), buffer, exploration_noise=True).collect(n_step=20_000)
    return buffer


def data() -> ReplayBuffer:
    """Return the data, written once."""
    return written("cartpole", VectorReplayBuffer, played)


def offline(name: str, algorithm: Algorithm, config: Any) -> Check:
    """Return the row of an algorithm that learns from the data."""
    train = GymTraining(cartpole.TASK, algorithm, config, UPDATES, goal=495.0, steps_per_test=1_000, data=data)
    return Check(name, f"{cartpole.TASK}, offline", THRESHOLD, train, prepare=data)


ROWS = [
    offline(
        "discrete-bcq",
        learning_algorithm("discrete-bcq"),
        discrete_bcq.DiscreteBCQConfig(**VALUES, unlikely_action_threshold=0.5),
    ),
    offline(
        "discrete-cql", learning_algorithm("discrete-cql"), discrete_cql.DiscreteCQLConfig(**VALUES, num_quantiles=20)
    ),
    offline(
        "discrete-crr", learning_algorithm("discrete-crr"), discrete_crr.DiscreteCRRConfig(**COMMON, min_q_weight=1.0)
    ),
    offline("imitation", learning_algorithm("imitation"), imitation.ImitationConfig(**COMMON)),
]
