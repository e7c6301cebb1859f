"""Tiny games whose every transition can be worked out by hand, as PettingZoo environments."""

from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from pettingzoo import AECEnv


class Scripted(AECEnv):
    """Plays a script: who moves, and what each move brings to whom; the board shows the number of moves made.

    `turns` names the agent of each move, `rewards` what each move gives (agent -> reward), `deaths` who is out after
    a move (number of the move -> agents). The game ends after the last turn. An agent sees `[moves made, own
    number]`, and may play the action equal to the number of moves made (of five) or the one after it.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "scripted"}

    def __init__(
        self,
        turns: list[str],
        rewards: dict[int, dict[str, float]],
        deaths: dict[int, list[str]] | None = None,
        truncate: bool = False,
        agents: tuple[str, ...] = (),
    ):
        super().__init__()
        self.possible_agents = list(agents) or sorted(set(turns))
        self._turns, self._script, self._deaths, self._truncate = turns, rewards, deaths or {}, truncate
        self.render_mode = None

    def observation_space(self, agent):
        return gym.spaces.Box(0, 100, (2,), np.int64)

    def action_space(self, agent):
        return gym.spaces.Discrete(5)

    def reset(self, seed=None, options=None):
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._moves = 0
        self.agent_selection = self._turns[0]

    def observe(self, agent):
        obs = np.array([self._moves, self.possible_agents.index(agent)])
        mask = np.zeros(5, np.int8)
        mask[[self._moves % 5, (self._moves + 1) % 5]] = 1
        return {"observation": obs, "action_mask": mask}

    def step(self, action):
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        assert self.observe(self.agent_selection)["action_mask"][action]
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._clear_rewards()
        for agent, reward in self._script.get(self._moves, {}).items():
            self.rewards[agent] = reward
        dying = self._deaths.get(self._moves, [])
        self._moves += 1
        ends = self.truncations if self._truncate else self.terminations
        if self._moves == len(self._turns):
            ends.update(dict.fromkeys(self.agents, True))
        else:
            for agent in dying:
                self.terminations[agent] = True
            self.agent_selection = self._turns[self._moves]
        self._accumulate_rewards()
        self._deads_step_first()
