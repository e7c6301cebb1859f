"""NEW_GAME: replace this by the rules of an environment of your own.

This one: three runners choose at once how much to risk, and chance decides how far they come. Whoever reaches the end
first wins; several may. Change what follows, piece by piece, and run the test after each.
"""

from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from pettingzoo import ParallelEnv


class Environment(ParallelEnv):
    """Agents act at once here; PettingZoo's `AECEnv` is for agents that act in turns."""

    # "ansi": what `render` returns is the board on screens. Where every agent sees the whole position and nothing is
    # chosen at the same time, add "perfect_information": True.
    metadata: ClassVar[dict[str, Any]] = {"name": "NEW_GAME", "render_modes": ["ansi"]}
    action_names = ("walk", "run", "jump")  # what people see and type; numbers without it

    def __init__(self, length: int = 8):  # options follow the name: pettingzoo:NEW_GAME,length=12
        self.length, self.render_mode = length, "ansi"
        self.possible_agents = ["ann", "bob", "cid"]
        self._observations = gym.spaces.Dict(place=gym.spaces.Box(0, 100, (3,), np.int64), me=gym.spaces.Discrete(3))
        self._actions = gym.spaces.Discrete(3)

    def observation_space(self, agent: str) -> gym.Space[Any]:
        """Return the space of what an agent sees, as `reset` and `step` give it."""
        return self._observations

    def action_space(self, agent: str) -> gym.Space[Any]:
        """Return the space of what an agent does."""
        # actions that are not always legal: give an "action_mask" in the observation or in the info
        return self._actions

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Begin an episode; return what each agent sees, and its info."""
        # draw everything from this generator: then a seed and actions give the same game again, and games can be stored
        self.rng = np.random.default_rng(seed)
        self.agents, self.place = list(self.possible_agents), np.zeros(3, np.int64)
        return self._shown(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> tuple[Any, Any, Any, Any, Any]:
        """Let all agents act; return what they see, rewards, ends, truncations and infos."""
        for seat, agent in enumerate(self.agents):
            self.place[seat] += [1, self.rng.integers(3), 5 * self.rng.integers(2) - 1][int(actions[agent])]
        self.place = np.clip(self.place, 0, 100)
        won, agents = self.place >= self.length, self.agents
        rewards = {agent: float(won[seat] - won.mean()) for seat, agent in enumerate(agents)}
        done = dict.fromkeys(agents, bool(won.any()))
        self.agents = [] if won.any() else agents
        return self._shown(), rewards, done, dict.fromkeys(agents, False), {agent: {} for agent in agents}

    def render(self) -> str:
        """Return the board as text."""
        places = zip(self.possible_agents, self.place.tolist(), strict=True)
        return "\n".join(f"{agent} {'.' * place}o" for agent, place in places)

    def _shown(self) -> dict[str, Any]:
        return {agent: {"place": self.place.copy(), "me": seat} for seat, agent in enumerate(self.possible_agents)}


parallel_env = Environment
