"""Environments that tell things in their infos, each of which can be worked out by hand."""

import gymnasium as gym
import numpy as np

from tests.collector.games import Scripted

LENGTH = 3


class Informed(gym.Env):
    """Three steps; tells their number, a text, an array, a note that comes in the last step, and a cost that grows."""

    observation_space = gym.spaces.Box(0, LENGTH, (1,))
    action_space = gym.spaces.Discrete(2)

    def reset(self, seed=None, options=None):
        self.steps = 0
        return np.zeros(1, np.float32), self._info()

    def step(self, action):
        self.steps += 1
        return np.full(1, self.steps, np.float32), 1.0, self.steps == LENGTH, False, self._info()

    def _info(self):
        last = {"episode": {"length": self.steps, "won": True}} if self.steps == LENGTH else {}
        cost = self.steps / 2 if self.steps > 1 else 0  # a whole number first, then fractions
        mask = np.array([1, self.steps % 2], np.int8)
        return {"at": self.steps, "name": f"step {self.steps}", "action_mask": mask, "cost": cost} | last


class Telling(Scripted):
    """Every agent is told its own name and how many moves have been made, whenever it looks."""

    def observe(self, agent):
        self.infos[agent] = {"whose": ord(agent), "moves": self._moves}
        return super().observe(agent)
