"""Environments that live for a number of steps, for tests of what becomes of those that have ended."""

import os

import gymnasium as gym
import numpy as np

from tests.env.troubled import Troubled


class Life(Troubled):
    """`Troubled` that never sleeps: it shows its number and its steps, and earns those and its action."""

    action_space = gym.spaces.Discrete(3)

    def _obs(self, action=0):
        return np.array([self.number, self.steps])

    def reset(self, seed=None, options=None):
        return super().reset(seed)[0], {}

    def step(self, action):
        obs, rew, terminated, truncated, _ = super().step(min(action, 0))
        return obs, rew + action, terminated, truncated, {}

    def add(self, x, times=1):
        return self.number + x * times

    def pid(self):
        return os.getpid()
