"""Collectors in environments that are made for them: copies of a game, or of an environment of Gymnasium."""

from collections.abc import Callable
from typing import Any

import gymnasium as gym

from arena.collector.collector import Collector
from arena.collector.halves_collector import HalvesCollector
from arena.data.buffer.base import ReplayBuffer
from arena.env.base import DummyVectorEnv
from arena.env.games import Recorder, VectorGames
from arena.env.make import Task, side_by_side
from arena.policy.base import BasePolicy
from arena.policy.protocol import Policy
from arena.policy.rollout import LearnsFromRollouts


def collector_of(
    task: Task,
    number: int,
    policy: Policy,
    buffer: ReplayBuffer | None = None,
    *,
    openings: int = 0,
    recorder: Recorder | None = None,
    seed: int | None = None,
    exploration_noise: bool = False,
) -> Collector:
    """Return a collector of a policy in `number` environments of one task.

    Args:
        task: a game, or a function that makes an environment.
        number: how many environments are stepped at the same time.
        policy: acts in them.
        buffer: stores the transitions; None to count only.
        openings: random moves that a game begins with, at most.
        recorder: follows the games of one board.
        seed: of the environments; without, they seed themselves.
        exploration_noise: let the policy change its actions for exploration.

    """
    env = side_by_side(task, number, openings)
    if isinstance(env, VectorGames):
        env.recorder = recorder
    if seed is not None:
        env.seed(seed)
    return Collector(policy, env, buffer, exploration_noise=exploration_noise)


def learner_collector_of(
    make: Callable[[], gym.Env[Any, Any]], number: int, policy: BasePolicy, buffer: ReplayBuffer, on_policy: bool
) -> Collector:
    """Return the collector of a learner in `number` environments of one agent.

    On-policy, its policy answers for one half of them while the other steps, if it computes on a CUDA device and can;
    off-policy it explores.
    """
    device = policy.device
    if on_policy and device.type == "cuda" and isinstance(policy, LearnsFromRollouts):
        return HalvesCollector(policy, DummyVectorEnv([make] * number), buffer, device)
    return collector_of(make, number, policy, buffer, exploration_noise=not on_policy)
