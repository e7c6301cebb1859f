"""PSRL on a chain and on a frozen lake: exact value of the learned policy beside the optimum.

The score is value / optimum at the start of the true process, which PSRL does not know.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from agents.configs.on_policy import PSRLConfig
from agents.learning.planning import value_iteration
from arena.collector import Collector
from arena.data import Batch, VectorReplayBuffer
from arena.env import DummyVectorEnv
from arena.policy.registration import Spaces
from arena.policy.registry import learning_algorithm
from arena.trainer import OnpolicyTrainer
from arena.trainer.base import Schedule
from learning.running import Check, Outcome, seed_everything

Floats = NDArray[np.float64]


class Chain(gym.Env[Any, Any]):
    """Strens's chain (ICML 2000): five states; action 0 goes on, 10 at the end; action 1 goes back to the start for 2.

    With probability 0.2 the other action happens. An episode is 50 steps long.
    """

    observation_space = gym.spaces.Discrete(5)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        """Go to the start."""
        super().reset(seed=seed)
        self.state, self.time = 0, 0
        return self.state, {}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Step forward or back."""
        happens = int(action) ^ int(self.np_random.random() < 0.2)
        rew = 2.0 if happens else 10.0 * (self.state == 4)
        self.state = 0 if happens else min(self.state + 1, 4)
        self.time += 1
        return self.state, rew, False, self.time == 50, {}


def process_of_chain() -> tuple[Floats, Floats]:
    """Return probabilities [S, A, S] and mean rewards [S, A] of the chain."""
    chances, rewards = np.zeros((5, 2, 5)), np.zeros((5, 2))
    for state in range(5):
        for action in range(2):
            forward = 0.8 if action == 0 else 0.2
            chances[state, action, min(state + 1, 4)] += forward
            chances[state, action, 0] += 1 - forward
            rewards[state, action] = forward * 10 * (state == 4) + (1 - forward) * 2
    return chances, rewards


def frozen_lake() -> gym.Env[Any, Any]:
    """Return the slippery 4 x 4 lake."""
    return gym.make("FrozenLake-v1")


def process_of_lake() -> tuple[Floats, Floats]:
    """Return probabilities and mean rewards of the lake's table; terminal states lead to themselves without reward."""
    table = frozen_lake().unwrapped.P  # type: ignore[attr-defined]
    chances, rewards = np.zeros((16, 4, 16)), np.zeros((16, 4))
    for state, actions in table.items():
        for action, outcomes in actions.items():
            for chance, after, rew, _ in outcomes:
                chances[state, action, after] += chance
                rewards[state, action] += chance * rew
    return chances, rewards


@dataclass(frozen=True)
class TabularTraining:
    """Trains episode by episode, with a process sampled before each."""

    make: Callable[[], gym.Env[Any, Any]]
    process: Callable[[], tuple[Floats, Floats]]
    config: PSRLConfig
    steps: int

    def __call__(self, seed: int) -> Outcome:
        """Train from a seed and score."""
        seed_everything(seed)
        env = DummyVectorEnv([self.make])
        env.seed(seed)
        policy = learning_algorithm("psrl").build(
            Spaces(env.observation_space[0], env.action_space[0]), self.config, True
        )
        collector = Collector(policy, env, VectorReplayBuffer(1_000, 1))
        plan = Schedule(1, self.steps, 1, episode_per_collect=1, verbose=False)
        trainer = OnpolicyTrainer(policy, collector, None, plan, 1)
        trainer.run()
        chances, rewards = self.process()
        states, gamma = np.arange(len(rewards)), self.config.discount_factor
        act = policy.eval().forward(Batch(obs=states)).act
        value = np.linalg.solve(np.eye(len(states)) - gamma * chances[states, act], rewards[states, act])[0]
        best = value_iteration(chances, rewards, gamma, 1e-9, np.ones(rewards.shape, np.bool_)).max(axis=1)[0]
        return Outcome(float(value / best), trainer.step)


ROWS = [
    Check(
        "psrl",
        "chain",
        0.95,
        TabularTraining(Chain, process_of_chain, PSRLConfig(discount_factor=0.95, reward_std=10.0), 3_000),
    ),
    Check("psrl", "FrozenLake-v1", 0.95, TabularTraining(frozen_lake, process_of_lake, PSRLConfig(), 50_000)),
]
