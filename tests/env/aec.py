"""Variants of a scripted AEC environment: where masks stand, and what the agents may do."""

from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from pettingzoo import ParallelEnv
from pettingzoo.utils import BaseWrapper

from tests.collector.games import Scripted


class MaskInInfo(BaseWrapper):
    """Shows the board alone; the mask stands in the info of the agent."""

    def observe(self, agent):
        seen = self.env.observe(agent)
        self.env.infos[agent] = {"action_mask": seen["action_mask"], "moves": int(seen["observation"][0])}
        return seen["observation"]


class NoMask(BaseWrapper):
    """Shows the board alone, and plays a legal action whatever it is told."""

    def observe(self, agent):
        return self.env.observe(agent)["observation"]

    def step(self, action):
        seen = self.env.observe(self.env.agent_selection)
        self.env.step(action if action is None else int(seen["action_mask"].argmax()))


class Nested(Scripted):
    """Shows the board in a dictionary of a dictionary and a tuple, beside a mask."""

    def observation_space(self, agent):
        board = gym.spaces.Dict(at=super().observation_space(agent), half=gym.spaces.Box(0, 50, (1,)))
        pair = gym.spaces.Tuple([gym.spaces.Discrete(9), gym.spaces.Box(0, 1, (2,))])
        return gym.spaces.Dict(board=board, pair=pair, action_mask=gym.spaces.MultiBinary(5))

    def observe(self, agent):
        seen = super().observe(agent)
        at = seen["observation"]
        board = {"at": at, "half": np.array([at[0] / 2], np.float32)}
        return {"board": board, "pair": (int(at[0]), np.zeros(2)), "action_mask": seen["action_mask"]}


class Uneven(Scripted):
    """Agent a has five actions and sees two numbers, any other has six and sees a third one, its name."""

    def observation_space(self, agent):
        return gym.spaces.Box(0, 200, (2 if agent == "a" else 3,), np.int64)

    def action_space(self, agent):
        return gym.spaces.Discrete(5 if agent == "a" else 6)

    def observe(self, agent):
        seen = super().observe(agent)
        if agent == "a":
            return seen
        mask = np.append(seen["action_mask"], 1).astype(np.int8)
        return {"observation": np.append(seen["observation"], ord(agent)), "action_mask": mask}

    def step(self, action):
        super().step(action if action != 5 else self._moves % 5)


class AtOnce(ParallelEnv):
    """Two agents with spaces of their own: a box of two actions each, a box of one and a vector; two steps."""

    metadata: ClassVar[dict[str, Any]] = {"name": "at once"}

    def __init__(self):
        self.possible_agents = ["a", "b"]
        self.taken: list[dict[str, np.ndarray]] = []

    def observation_space(self, agent):
        size = {"a": (2, 2), "b": (1, 3)}[agent]
        return gym.spaces.Dict(view=gym.spaces.Box(0, 9, size), kind=gym.spaces.Discrete({"a": 2, "b": 3}[agent]))

    def action_space(self, agent):
        return gym.spaces.Box(-1, {"a": 1, "b": 2}[agent], ({"a": 2, "b": 1}[agent],))

    def _seen(self):
        return {a: {"view": np.ones(self.observation_space(a)["view"].shape), "kind": 1} for a in self.agents}

    def reset(self, seed=None, options=None):
        self.agents = list(self.possible_agents)
        return self._seen(), {agent: {} for agent in self.agents}

    def step(self, actions):
        self.taken.append(actions)
        over = dict.fromkeys(self.agents, len(self.taken) == 2)
        result = self._seen(), dict.fromkeys(self.agents, 1.0), over, dict.fromkeys(over, False), {a: {} for a in over}
        self.agents = [] if len(self.taken) == 2 else self.agents
        return result


class Unlike(Scripted):
    """One of its agents sees a number, the other a vector."""

    def observation_space(self, agent):
        return gym.spaces.Discrete(9) if agent == "b" else super().observation_space(agent)
