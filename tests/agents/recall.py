"""A memory task: a cue at the first step, some steps of nothing, then the question which cue it was.

An observation is (cue, asked): the cue is -1 or 1 at the first step and 0 later, `asked` is 1 at the last one. There
the action that names the cue (0 for -1, 1 for 1) brings 1, the other -1; earlier actions do not matter. Who sees the
last observation alone expects 0.
"""

from typing import Any

import gymnasium as gym
import numpy as np
from pettingzoo import AECEnv

SEEN, ACTS = gym.spaces.Box(-1, 1, (2,), np.float32), gym.spaces.Discrete(2)


def view(cue: int, step: int, delay: int) -> np.ndarray:
    return np.array([cue if step == 0 else 0, step == delay], np.float32)


def reward(cue: int, action: Any) -> float:
    return 1.0 if int(action) == (cue > 0) else -1.0


class Recall(gym.Env[Any, Any]):
    """For one agent: `delay` steps after the cue it is asked."""

    observation_space, action_space = SEEN, ACTS

    def __init__(self, delay: int):
        self.delay = delay

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cue, self.step_number = int(self.np_random.integers(2)) * 2 - 1, 0
        return view(self.cue, 0, self.delay), {}

    def step(self, action):
        end = self.step_number == self.delay
        earned = reward(self.cue, action) if end else 0.0
        self.step_number += 1
        return view(self.cue, self.step_number, self.delay), earned, end, False, {}


class RecallForTwo(AECEnv):
    """For two seats in turn, each with a cue of its own, and asked for its own."""

    metadata = {"name": "recall", "is_parallelizable": False}  # noqa: RUF012  # PettingZoo's own way

    def __init__(self, delay: int):
        self.delay = delay
        self.possible_agents = ["first", "second"]
        self.observation_spaces = dict.fromkeys(self.possible_agents, SEEN)
        self.action_spaces = dict.fromkeys(self.possible_agents, ACTS)
        self.rng = np.random.default_rng()

    def observation_space(self, agent):
        return SEEN

    def action_space(self, agent):
        return ACTS

    def reset(self, seed=None, options=None):
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.agents = self.possible_agents[:]
        self.cues = dict(zip(self.agents, self.rng.integers(2, size=2) * 2 - 1, strict=True))
        self.moves = dict.fromkeys(self.agents, 0)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = "first"

    def observe(self, agent):
        return view(self.cues[agent], self.moves[agent], self.delay)

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if self.moves[agent] == self.delay:
            self.rewards[agent] = reward(self.cues[agent], action)
        self.moves[agent] += 1
        if agent == "second" and self.moves[agent] > self.delay:
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = "second" if agent == "first" else "first"
        self._accumulate_rewards()
