"""Environments in processes, random actions, reset when done: ours beside Gymnasium's and Tianshou's."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import numpy as np

from arena.env import DummyVectorEnv, ShmemVectorEnv, SubprocVectorEnv
from benchmarks.measure import Peer, Row, Work, missing, rate

STEPS = 20  # of the whole vector, a round


class Sleeping(gym.Env[np.ndarray, int]):
    """Takes a millisecond a step, without computing."""

    observation_space = gym.spaces.Box(0, 1, (4,))
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """Begin anew."""
        return np.zeros(4, np.float32), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Sleep."""
        time.sleep(0.001)
        return np.zeros(4, np.float32), 0.0, False, False, {}


def cart_pole() -> gym.Env:
    return gym.make("CartPole-v1")


def rows() -> Iterator[Row]:
    """Environment steps a second."""
    with_gymnasium = Peer("gymnasium AsyncVectorEnv", gymnasium_steps(cart_pole, 64))
    for ours in (SubprocVectorEnv, ShmemVectorEnv):
        work = f"64 CartPole-v1, {ours.__name__}"
        yield rate("envs", work, "steps/s", steps(ours([cart_pole] * 64)), with_gymnasium)
    for ours, env_fn in (
        (DummyVectorEnv, cart_pole),
        (SubprocVectorEnv, cart_pole),
        (ShmemVectorEnv, cart_pole),
        (SubprocVectorEnv, Sleeping),
    ):
        work = f"10 {'CartPole-v1' if env_fn is cart_pole else 'sleeping 1 ms'}, {ours.__name__}"
        yield rate("envs", work, "steps/s", steps(ours([env_fn] * 10)), tianshou(ours.__name__, env_fn))


def tianshou(kind: str, env_fn: Callable[[], gym.Env]) -> Peer:
    """Tianshou's vector environment of the same name."""
    title = f"Tianshou {kind}"
    if (absent := missing(title, "tianshou")) is not None:
        return absent
    from tianshou import env

    return Peer(title, steps(getattr(env, kind)([env_fn] * 10)))


def steps(env: Any) -> Work:
    """Rounds of steps in which the loop resets what is done, as collectors do: ours and Tianshou's alike."""
    env.reset()
    actions = np.random.default_rng(0).integers(0, 2, (STEPS, len(env)))

    def play() -> int:
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if (over := np.flatnonzero(terminated | truncated)).size:
                env.reset(over)
        return actions.size

    return play


def gymnasium_steps(env_fn: Callable[[], gym.Env], count: int) -> Work:
    """Rounds of steps of Gymnasium's processes, which reset themselves."""
    env = gym.vector.AsyncVectorEnv([env_fn] * count)
    env.reset()
    actions = np.random.default_rng(0).integers(0, 2, (STEPS, count))

    def play() -> int:
        for action in actions:
            env.step(action)
        return actions.size

    return play
