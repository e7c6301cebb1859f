"""Environments that do what they are told by their action: count, sleep, raise, die, or answer in a wrong shape."""

import os
import signal
import time
from copy import deepcopy

import gymnasium as gym
import numpy as np

RAISE, KILL, EXIT, WRONG_SHAPE = -1, -2, -3, -4


class Troubled(gym.Env):
    """Shows `[number, steps made, last action]`; an action above 0 is a number of milliseconds to sleep."""

    observation_space = gym.spaces.Box(-10_000, 10_000, (3,), np.int64)
    action_space = gym.spaces.Discrete(1000)

    def __init__(self, number: int = 0, length: int = 1000):
        self.number, self.length, self.steps = number, length, 0

    def _obs(self, action=0):
        return np.array([self.number, self.steps, action])

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        time.sleep((options or {}).get("sleep_s", 0))
        return self._obs(), {"pid": os.getpid()}

    def step(self, action):
        self.steps += 1
        if action == RAISE:
            raise KeyError("no such square")
        if action == KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        if action == EXIT:
            os._exit(3)
        if action == WRONG_SHAPE:
            return np.zeros(2), 0.0, False, False, {}
        time.sleep(max(action, 0) / 1000)
        return self._obs(action), float(self.steps), self.steps == self.length, False, {"pid": os.getpid()}


class Anything(gym.Env):
    """Shows a sample of `space`, drawn from its seed and moved on by each action."""

    action_space = gym.spaces.Discrete(5)

    def __init__(self, space: gym.Space):
        self.observation_space = deepcopy(space)  # its generator is this environment's own

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.observation_space.seed(seed)
        return self.observation_space.sample(), {"options": options}

    def step(self, action):
        for _ in range(action):
            self.observation_space.sample()
        reward = float(self.np_random.normal())
        return self.observation_space.sample(), reward, reward > 1.5, reward < -1.5, {"took": int(action)}
