"""A walk whose reward is the action taken, and a learner that plays better with every update: all can be foretold."""

import gymnasium as gym
import numpy as np

from arena.collector import Collector
from arena.data import Batch, VectorReplayBuffer
from arena.env import DummyVectorEnv
from arena.policy.base import BasePolicy

LENGTH = 4


class Walk(gym.Env):
    """Ends after four steps; each is worth the number of its action."""

    observation_space = gym.spaces.Box(0, LENGTH, (1,))
    action_space = gym.spaces.Discrete(100)

    def reset(self, seed=None, options=None):
        self.steps = 0
        return np.zeros(1), {}

    def step(self, action):
        self.steps += 1
        return np.full(1, self.steps, float), float(action), self.steps == LENGTH, False, {}


class Improver(BasePolicy):
    """Always takes the action of the number of its updates; writes down the states in which it is asked and taught."""

    def __init__(self):
        super().__init__()
        self.updates = 0
        self.asked: set[tuple[bool, bool]] = set()
        self.taught: list[tuple[int, dict]] = []

    def forward(self, batch, state=None):
        self.asked.add((self.training, self.updating))
        return Batch(act=np.full(len(batch.obs), self.updates))

    def learn(self, batch, **kwargs):
        assert (self.training, self.updating) == (True, True)
        self.updates += 1
        self.taught.append((len(batch), kwargs))
        return {"loss": [0.5] * kwargs["repeat"] if "repeat" in kwargs else 0.5}


def collectors(policy: BasePolicy, envs: int = 2, size: int = 100) -> tuple[Collector, Collector]:
    """One to train with, which stores, and one to test with."""
    made = [DummyVectorEnv([Walk] * envs) for _ in range(2)]
    return Collector(policy, made[0], VectorReplayBuffer(size, envs)), Collector(policy, made[1])
