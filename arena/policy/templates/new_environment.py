"""NEW_GAME: replace this by the rules of an environment of your own.

This one: three runners choose at once how much to risk, and chance decides how far they come. Whoever reaches the end
first wins; several may. Change what follows, piece by piece, and run the test after each.
"""

from functools import partial
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from pettingzoo import ParallelEnv

from arena.env import Grid, Presentation
from arena.env.hosted.game import HostedGame
from arena.env.hosted.pettingzoo import hosted


class Environment(ParallelEnv):
    """Agents act at once here; PettingZoo's `AECEnv` is for agents that act in turns."""

    # where every agent sees the whole position and nothing is chosen at the same time, add "perfect_information": True
    metadata: ClassVar[dict[str, Any]] = {"name": "NEW_GAME", "render_modes": []}

    def __init__(self, length: int = 8):  # those of `game` follow the name: NEW_GAME:length=12
        self.length, self.render_mode = length, None
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

    def _shown(self) -> dict[str, Any]:
        return {agent: {"place": self.place.copy(), "me": seat} for seat, agent in enumerate(self.possible_agents)}


def board(env: Environment) -> Grid:
    """Return what people see: a lane each; text or pixels would do as well."""
    pieces = np.full((3, env.length + 1), -1)
    for seat, place in enumerate(env.place.tolist()):
        pieces[seat, min(place, env.length)] = seat
    return Grid(pieces, notes=[f"{env.length} to go, for {', '.join(env.possible_agents)} from above"])


def view(env: Environment, agent: str) -> Grid:
    """Return what an agent sees of it, here as much; without a view it is shown its observation."""
    return board(env)


parallel_env = Environment
PRESENTATION = Presentation(title="NEW_TITLE", board=board, view=view, action_names=("walk", "run", "jump"))


def game(length: int = 8) -> HostedGame:
    """Describe the game; the parameters are its options, and those of the environment."""
    return hosted(partial(Environment, length), "NEW_GAME", presentation=PRESENTATION, options={"length": length})


GAMES = {"NEW_GAME": "NEW_GAME:game"}  # the line of the catalogue: pyproject.toml names it
