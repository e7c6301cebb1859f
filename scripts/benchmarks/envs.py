"""Environments in processes, random actions, reset when done: ours beside Gymnasium's, Tianshou's and plain Ray."""

import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import numpy as np

from arena.env import ActorOptions, DummyVectorEnv, ProcessOptions, RayVectorEnv, ShmemVectorEnv, SubprocVectorEnv
from benchmarks.measure import Peer, Row, Work, missing, rate

STEPS = 20  # of the whole vector, a round
CORES = 2  # processes that environments share; the same wherever it is measured


class Sleeping(gym.Env[np.ndarray, int]):
    """Environment whose steps take a millisecond without computing."""

    observation_space = gym.spaces.Box(0, 1, (4,))
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """Reset."""
        return np.zeros(4, np.float32), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Sleep."""
        time.sleep(0.001)
        return np.zeros(4, np.float32), 0.0, False, False, {}


def cart_pole() -> gym.Env:
    return gym.make("CartPole-v1")


def rows() -> Iterator[Row]:
    """Measure environment steps a second."""
    yield from beside_gymnasium()
    yield from beside_tianshou()
    yield from beside_ray()


def beside_gymnasium() -> Iterator[Row]:
    """Compare 64 small environments: Gymnasium in 64 processes, ours in two."""
    theirs = gym.vector.AsyncVectorEnv([cart_pole] * 64)
    for kind in (SubprocVectorEnv, ShmemVectorEnv):
        ours = kind([cart_pole] * 64, processes=ProcessOptions(CORES))
        work = f"64 CartPole-v1, {kind.__name__}, num_workers={CORES}"
        yield rate("envs", work, "steps/s", steps(ours), Peer("gymnasium AsyncVectorEnv", gymnasium_steps(theirs)))
        ours.close()
    theirs.close()


def beside_tianshou() -> Iterator[Row]:
    """Compare ten environments: small ones in two processes, and sleeping ones in one each."""
    shared = ProcessOptions(CORES)
    for kind, env_fn, processes in (
        (DummyVectorEnv, cart_pole, None),
        (SubprocVectorEnv, cart_pole, shared),
        (ShmemVectorEnv, cart_pole, shared),
        (SubprocVectorEnv, Sleeping, ProcessOptions()),
    ):
        what = "CartPole-v1" if env_fn is cart_pole else "sleeping 1 ms"
        work = ", ".join([f"10 {what}", kind.__name__, *([f"num_workers={CORES}"] if processes is shared else [])])
        ours = kind([env_fn] * 10, **({} if processes is None else {"processes": processes}))
        yield rate("envs", work, "steps/s", steps(ours), tianshou(kind.__name__, env_fn))
        ours.close()


def beside_ray() -> Iterator[Row]:
    """Compare ten environments in one actor (calls cost more than steps) with ten plain actors (one call a step)."""
    work = "10 CartPole-v1, RayVectorEnv, num_workers=1"
    if (absent := missing("plain Ray actors", "ray")) is not None:
        yield Row("envs", work, float("nan"), None, absent.name, None, "steps/s")
        return
    import ray

    ray.init(num_cpus=CORES, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    ours = RayVectorEnv([cart_pole] * 10, actors=ActorOptions(1))
    yield rate("envs", work, "steps/s", steps(ours), Peer("plain Ray, an actor each", steps(PlainRay(ray, 10))))
    ours.close()
    ray.shutdown()


def tianshou(kind: str, env_fn: Callable[[], gym.Env]) -> Peer:
    """Return Tianshou's vector environment of the same name."""
    title = f"Tianshou {kind}"
    if (absent := missing(title, "tianshou")) is not None:
        return absent
    from tianshou import env

    return Peer(title, steps(getattr(env, kind)([env_fn] * 10)))


def steps(env: Any) -> Work:
    """Step in rounds whose loop resets finished environments, as collectors do: ours and Tianshou's alike."""
    env.reset()
    actions = np.random.default_rng(0).integers(0, 2, (STEPS, len(env)))

    def play() -> int:
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if (over := np.flatnonzero(terminated | truncated)).size:
                env.reset(over)
        return actions.size

    return play


def gymnasium_steps(env: gym.vector.VectorEnv) -> Work:
    """Step environments that reset themselves, in rounds."""
    env.reset()
    actions = np.random.default_rng(0).integers(0, 2, (STEPS, env.num_envs))

    def play() -> int:
        for action in actions:
            env.step(action)
        return actions.size

    return play


class PlainRay:
    """One actor for each environment, and a call for each of its steps and resets."""

    def __init__(self, ray: Any, count: int):
        self._ray = ray
        self._actors = [ray.remote(_Actor).remote() for _ in range(count)]

    def __len__(self) -> int:
        return len(self._actors)

    def reset(self, rows: Any = None) -> None:
        """Reset the environments in `rows` (None: all)."""
        self._ray.get([self._actors[row].reset.remote() for row in (range(len(self)) if rows is None else rows)])

    def step(self, action: np.ndarray) -> tuple:
        """Step all environments."""
        calls = [actor.step.remote(one) for actor, one in zip(self._actors, action, strict=True)]
        obs, rew, terminated, truncated, infos = zip(*self._ray.get(calls), strict=True)
        return np.stack(obs), np.array(rew), np.array(terminated), np.array(truncated), infos


class _Actor:
    def __init__(self) -> None:
        self.env = cart_pole()

    def reset(self) -> tuple:
        return self.env.reset()

    def step(self, action: int) -> tuple:
        return self.env.step(action)
