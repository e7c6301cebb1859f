"""Environments that somebody could have written: of all shapes that PettingZoo allows, and some that are broken.

Each factory's name is that of a hosted game, `pettingzoo:tests.env.hosted.worlds:race`.
"""

import os
from typing import ClassVar

import gymnasium as gym
import numpy as np
from pettingzoo import AECEnv, ParallelEnv

MODULE = "tests.env.hosted.worlds"
Box, Dict, Discrete, MultiDiscrete = gym.spaces.Box, gym.spaces.Dict, gym.spaces.Discrete, gym.spaces.MultiDiscrete


class Race(ParallelEnv):
    """Three runners move at once; chance decides how far. Observations are dictionaries, and it draws itself."""

    metadata: ClassVar = {"name": "race", "render_modes": ["ansi"]}

    def __init__(self, length: int = 5):
        self.length, self.possible_agents, self.render_mode = length, ["ann", "bob", "cid"], "ansi"
        self.action_names = ["walk", "run", "jump"]

    def observation_space(self, agent):
        return Dict(place=Box(0, 100, (3,), np.int64), me=Discrete(3))

    def action_space(self, agent):
        return Discrete(3)

    def reset(self, seed=None, options=None):
        self.rng = np.random.default_rng(seed)
        self.agents, self.place = list(self.possible_agents), np.zeros(3, np.int64)
        return self.shown(), {agent: {} for agent in self.agents}

    def shown(self):
        return {agent: {"place": self.place.copy(), "me": seat} for seat, agent in enumerate(self.possible_agents)}

    def step(self, actions):
        for seat, agent in enumerate(self.agents):
            self.place[seat] += min(int(actions[agent]), int(self.rng.integers(3)))
        done, agents = bool((self.place >= self.length).any()), self.agents
        rewards = {agent: float((self.place[seat] >= self.length) - done / 3) for seat, agent in enumerate(agents)}
        if done:
            self.agents = []
        nothing = dict.fromkeys(agents, False)
        return self.shown(), rewards, dict.fromkeys(agents, done), nothing, {agent: {} for agent in agents}

    def render(self):
        return "\n".join(
            f"{agent} {'.' * place}o" for agent, place in zip(self.possible_agents, self.place, strict=True)
        )


class Steer(ParallelEnv):
    """Two boats steer to a place that chance chooses, by a direction each; the closer one earns more.

    Actions are Boxes of two shapes, with different bounds.
    """

    metadata: ClassVar = {"name": "steer", "render_modes": []}
    render_mode = None

    def __init__(self, num_moves: int = 6):
        self.possible_agents, self.num_moves = ["red", "blue"], num_moves
        self.bounds = {"red": Box(-1, 1, (2,), np.float32), "blue": Box(-0.3, 0.1, (1,), np.float64)}

    def observation_space(self, agent):
        return Box(-20, 20, (4,), np.float32)

    def action_space(self, agent):
        return self.bounds[agent]

    def reset(self, seed=None, options=None):
        self.rng = np.random.default_rng(seed)
        self.agents, self.moves = list(self.possible_agents), 0
        self.goal = self.rng.uniform(-1, 1, 2)
        self.place = dict.fromkeys(self.agents, np.zeros(2))
        return self.shown(), {agent: {} for agent in self.agents}

    def shown(self):
        return {agent: np.concatenate([self.goal, self.place[agent]]).astype(np.float32) for agent in self.agents}

    def step(self, actions):
        for agent in self.agents:
            assert self.bounds[agent].contains(actions[agent]), (agent, actions[agent])
            self.place[agent] = self.place[agent] + np.resize(actions[agent], 2)
        self.moves += 1
        rewards = {agent: -float(np.linalg.norm(self.place[agent] - self.goal)) for agent in self.agents}
        agents, over = self.agents, self.moves == self.num_moves
        shown = self.shown()
        self.agents = [] if over else agents
        ends = dict.fromkeys(agents, over), dict.fromkeys(agents, False)
        return shown, rewards, *ends, {agent: {} for agent in agents}


class Unlike(ParallelEnv):
    """A pilot sees a picture and turns a wheel; a navigator sees a dictionary and says one of three words.

    The word is right if it names the third of the picture that is bright; the wheel if it is turned that way.
    """

    metadata: ClassVar = {"name": "unlike", "render_modes": []}
    render_mode = None

    def __init__(self, num_moves: int = 4):
        self.possible_agents, self.num_moves = ["pilot", "navigator", "clerk"], num_moves
        self.wheel = Box(np.float32([-1, 0]), np.float32([1, 2]), (2,), np.float32)

    def observation_space(self, agent):
        if agent == "pilot":
            return Box(0, 255, (6, 6, 3), np.uint8)
        return Dict(third=Discrete(3), noise=Box(-1, 1, (2,), np.float32)) if agent == "navigator" else Discrete(7)

    def action_space(self, agent):
        return self.wheel if agent == "pilot" else Discrete(3) if agent == "navigator" else MultiDiscrete([2, 3])

    def reset(self, seed=None, options=None):
        self.rng = np.random.default_rng(seed)
        self.agents, self.moves = list(self.possible_agents), 0
        self.third = int(self.rng.integers(3))
        return self.shown(), {agent: {} for agent in self.agents}

    def shown(self):
        picture = np.zeros((6, 6, 3), np.uint8)
        picture[:, 2 * self.third : 2 * self.third + 2] = 255
        noise = self.rng.uniform(-1, 1, 2).astype(np.float32)
        shown = {"pilot": picture, "navigator": {"third": self.third, "noise": noise}, "clerk": self.moves}
        for agent in self.possible_agents:
            assert self.observation_space(agent).contains(shown[agent]), agent
        return shown

    def step(self, actions):
        for agent in self.agents:
            assert self.action_space(agent).contains(actions[agent]), (agent, actions[agent])
        rewards = {
            "pilot": -abs(float(actions["pilot"][0]) - (self.third - 1)),
            "navigator": float(actions["navigator"] == self.third),
            "clerk": float(actions["clerk"].sum()),
        }
        self.moves, self.third = self.moves + 1, int(self.rng.integers(3))
        agents, over, shown = self.agents, self.moves == self.num_moves, self.shown()
        self.agents = [] if over else agents
        ends = dict.fromkeys(agents, over), dict.fromkeys(agents, False)
        return shown, rewards, *ends, {agent: {} for agent in agents}


class Turns(AECEnv):
    """Base of environments in turns: `next_agent` and `outcome` of a subclass say how it goes on."""

    metadata: ClassVar = {"name": "turns", "render_modes": []}
    render_mode = None
    num_moves = 12

    def __init__(self):
        self.possible_agents = ["first", "second", "third"]

    def observation_space(self, agent):
        return Dict(observation=Box(0.0, 1.0, (4,), np.float32), action_mask=gym.spaces.MultiBinary(3))

    def action_space(self, agent):
        return Discrete(3)

    def reset(self, seed=None, options=None):
        self.rng = np.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.moves, self.last_action = 0, 0
        self.agent_selection = self.agents[0]

    def observe(self, agent):
        seat = self.possible_agents.index(agent)
        seen = np.array([seat / 3, self.moves / self.num_moves, self.last_action / 3, 1.0], np.float32)
        return {"observation": seen, "action_mask": self.legal(agent)}

    def legal(self, agent):
        mask = np.ones(3, np.int8)
        mask[self.moves % 3] = 0
        return mask

    def step(self, action):
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        agent = self.agent_selection
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.moves, self.last_action = self.moves + 1, int(action)
        self.outcome(agent, int(action))
        self._accumulate_rewards()
        alive = [agent for agent in self.agents if not (self.terminations[agent] or self.truncations[agent])]
        self.agent_selection = self.next_agent(agent, alive) if alive else self.agents[0]
        self._deads_step_first()

    def next_agent(self, agent, alive):
        seats = self.possible_agents
        following = seats[seats.index(agent) + 1 :] + seats
        return next(other for other in following if other in alive)

    def outcome(self, agent, action):
        self.rewards[agent] = float(action)
        if self.moves == self.num_moves:
            self.terminations = dict.fromkeys(self.agents, True)


class EarlyDeath(Turns):
    """Whoever plays 2 leaves with a loss; the last one that stays wins."""

    def outcome(self, agent, action):
        alive = [other for other in self.agents if not self.terminations[other]]
        if action == 2 and len(alive) > 1:
            self.terminations[agent], self.rewards[agent] = True, -1.0
            alive.remove(agent)
        if len(alive) == 1 or self.moves == self.num_moves:
            for other in alive:
                self.terminations[other], self.rewards[other] = True, 1.0


class Irregular(Turns):
    """Chance says who acts next, also twice in a row."""

    def next_agent(self, agent, alive):
        return alive[int(self.rng.integers(len(alive)))]


class Unequal(Turns):
    """Agents see arrays of different sizes and have different numbers of actions."""

    def observation_space(self, agent):
        return Box(0.0, 1.0, (2 + self.possible_agents.index(agent),), np.float32)

    def action_space(self, agent):
        return Discrete(2 + self.possible_agents.index(agent))

    def observe(self, agent):
        return np.full(2 + self.possible_agents.index(agent), self.moves / self.num_moves, np.float32)


class Many(Turns):
    """Actions are two numbers at once."""

    def observation_space(self, agent):
        return gym.spaces.Tuple((Discrete(3), gym.spaces.MultiBinary(2)))

    def action_space(self, agent):
        return gym.spaces.MultiDiscrete([3, 2])

    def observe(self, agent):
        return (self.moves % 3, np.array([1, 0], np.int8))

    def step(self, action):
        super().step(None if action is None else int(action[0]) + int(action[1]))


class Truncated(Turns):
    """A cooperative game that is cut off: everybody earns the same."""

    def outcome(self, agent, action):
        self.rewards = dict.fromkeys(self.agents, float(action))
        if self.moves == self.num_moves:
            self.truncations = dict.fromkeys(self.agents, True)


class AllMasked(Turns):
    """Masks every action at the fifth move."""

    def legal(self, agent):
        return np.full(3, self.moves != 5, np.int8)


class NotANumber(Turns):
    """Gives the second agent a reward that is no number."""

    def outcome(self, agent, action):
        super().outcome(agent, action)
        if self.moves == 3:
            self.rewards["second"] = float("nan")


class WrongShape(Turns):
    """Shows an array of another shape at the seventh move."""

    def observe(self, agent):
        shown = super().observe(agent)
        return shown | {"observation": np.zeros(5, np.float32)} if self.moves == 7 else shown


class Raises(Turns):
    """Raises an exception in step 40."""

    num_moves = 60

    def outcome(self, agent, action):
        if self.moves == 40:
            raise RuntimeError("the physics exploded")
        super().outcome(agent, action)


class RaisesLater(Turns):
    """Raises an exception in step 40 of one game in sixty, not of the first; mended by the variable `MENDED`."""

    num_moves = 60

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.breaks = seed is not None and seed % 60 == 50 and "MENDED" not in os.environ

    def outcome(self, agent, action):
        if self.moves == 40 and self.breaks:
            raise RuntimeError("the physics exploded")
        super().outcome(agent, action)


class Unseeded(Irregular):
    """Ignores the seed of `reset`."""

    def reset(self, seed=None, options=None):
        super().reset(seed=None, options=options)


class OutOfBounds(Turns):
    """Shows a number outside its observation space."""

    def observe(self, agent):
        shown = super().observe(agent)
        return shown | {"observation": shown["observation"] + self.moves}


class NotShown(Turns):
    """Shows something that is no number at the third move."""

    def observe(self, agent):
        shown = super().observe(agent)
        return shown | {"observation": np.full(4, np.nan, np.float32)} if self.moves == 3 else shown


class Unpaid(Race):
    """Leaves out the reward of one runner in its second step."""

    def step(self, actions):
        shown, rewards, *ends = super().step(actions)
        if self.place.sum() > 3:
            rewards.pop("bob", None)
        return shown, rewards, *ends


class Stuck(Race):
    """Masks every action of everybody after the first step."""

    def observation_space(self, agent):
        return Dict(observation=super().observation_space(agent), action_mask=Box(0, 1, (3,), np.int8))

    def shown(self):
        mask = np.full(3, not self.place.any(), np.int8)
        return {agent: {"observation": one, "action_mask": mask} for agent, one in super().shown().items()}


class Drawn(Turns):
    """Renders whatever a function of the number of moves gives, to everybody."""

    metadata: ClassVar = {"name": "drawn", "render_modes": ["rgb_array"], "perfect_information": True}
    render_mode = "rgb_array"

    def __init__(self, draw):
        super().__init__()
        self.draw = draw

    def render(self):
        return self.draw(self.moves)


def painting(moves: int) -> np.ndarray:
    """Return 20 x 30 pixels in 16 colours; each move turns one row around."""
    random = np.random.default_rng(0)
    pixels = random.integers(0, 256, (16, 3), np.uint8)[random.integers(0, 16, (20, 30))]
    pixels[moves % 20] = pixels[moves % 20, ::-1]
    return pixels


def painted() -> Drawn:
    """Return an environment that renders a `painting`."""
    return Drawn(painting)


race, early_death, irregular, unequal, many, truncated = Race, EarlyDeath, Irregular, Unequal, Many, Truncated
all_masked, not_a_number, wrong_shape, raises, unseeded = AllMasked, NotANumber, WrongShape, Raises, Unseeded
out_of_bounds, steer, raises_later, unlike = OutOfBounds, Steer, RaisesLater, Unlike
not_shown, unpaid, stuck = NotShown, Unpaid, Stuck


def spec(name: str) -> str:
    """Return the spec of an environment of this module."""
    return f"pettingzoo:{MODULE}:{name}"
