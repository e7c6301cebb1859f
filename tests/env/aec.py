"""Variants of a scripted AEC environment: where masks stand, and what the agents may do."""

import gymnasium as gym
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


class Uneven(Scripted):
    """Its agents do not have the same number of actions."""

    def action_space(self, agent):
        return gym.spaces.Discrete(5 if agent == "a" else 6)
