"""Any PettingZoo environment for the vector environments: one agent acts at a time, dead agents never do.

Both adapters speak Gymnasium's `reset` and `step` with observations `{"agent_id", "obs", "mask"}` of the agent to act,
and rewards and ends by seat ([P]). They hide PettingZoo's dead steps. `final_obs` shows what every seat sees.
"""

from abc import ABC, abstractmethod
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from arena.errors import IllegalActionError, UsageError

Observation = dict[str, Any]
Transition = tuple[Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class _SeatedEnv(ABC):
    """What both adapters share: seats, spaces, and how an observation is taken apart."""

    def __init__(self, env: Any):
        self.env = env
        self.possible_agents: list[str] = list(env.possible_agents)
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_space = self._common_space(env.observation_space)
        """Space of what an agent sees, without its action mask; the same for all agents."""
        self.action_space = self._common_space(env.action_space)
        """Space of an agent's actions; the same for all agents."""
        self._num_actions = int(self.action_space.n) if isinstance(self.action_space, gym.spaces.Discrete) else 0
        num_agents = len(self.possible_agents)
        self._views: list[Observation] = []
        self._terminated = np.zeros(num_agents, np.bool_)
        self._truncated = np.zeros(num_agents, np.bool_)

    def _common_space(self, space_of: Any) -> gym.Space[Any]:
        spaces = [space_of(agent) for agent in self.possible_agents]
        spaces = [
            s["observation"] if isinstance(s, gym.spaces.Dict) and "action_mask" in s.spaces else s for s in spaces
        ]
        if any(_size(space) != _size(spaces[0]) for space in spaces):
            raise UsageError(f"the agents of {self.env} have different spaces: {spaces}")
        return spaces[0]

    def get_wrapper_attr(self, name: str) -> Any:
        """An attribute of this adapter or else of the PettingZoo environment, as Gymnasium's wrappers look it up."""
        try:
            return getattr(self, name)
        except AttributeError:
            return getattr(self.unwrapped, name)

    @property
    def unwrapped(self) -> Any:
        """The PettingZoo environment itself."""
        return self.env.unwrapped

    @property
    def final_obs(self) -> Observation:
        """What every seat saw last: `obs` [P, ...] and `mask` [P, A] (all True where a seat's episode is over)."""
        return {
            "obs": np.array([view["obs"] for view in self._views]),
            "mask": np.array([view["mask"] for view in self._views]),
        }

    def _view(self, seat: int, seen: Any, info: dict[str, Any]) -> Observation:
        """An observation of PettingZoo, whose mask (if any) may stand in it or in the info, in our terms."""
        mask = info.get("action_mask")
        if isinstance(seen, dict) and "action_mask" in seen:
            mask, seen = seen["action_mask"], seen["observation"]
        over = self._terminated[seat] or self._truncated[seat]
        legal = np.ones(self._num_actions, np.bool_) if mask is None or over else np.array(mask, np.bool_)
        return {"agent_id": seat, "obs": np.asarray(seen), "mask": legal}

    def check_action(self, action: Any) -> None:
        """`IllegalActionError` if the mask of the agent asked forbids the action, `UsageError` if nobody is asked."""
        if not self._views or not self._live():
            raise UsageError(f"{self.env}: the episode is over or not yet begun; reset it before it steps")
        if not isinstance(self.action_space, gym.spaces.Discrete):
            return
        seat = self._seat[self._asked()]
        mask = self._views[seat]["mask"]
        if isinstance(action, int | np.integer) and 0 <= action < len(mask) and mask[action]:
            return  # the common case
        array = np.asarray(action)
        whole = array.dtype.kind in "iu" and array.size == 1
        if not whole or not 0 <= array.item() < len(mask) or not mask[array.item()]:
            agent, legal = self.possible_agents[seat], np.flatnonzero(mask).tolist()
            raise IllegalActionError(f"{self.env}: action {action} of {agent} is illegal; legal are {legal}")

    def _taken(self, action: Any) -> Any:
        """A checked action as PettingZoo takes it."""
        return int(np.asarray(action).item()) if isinstance(self.action_space, gym.spaces.Discrete) else action

    @abstractmethod
    def _live(self) -> list[str]:
        """The agents whose episode goes on."""

    @abstractmethod
    def _asked(self) -> str:
        """The agent that has to act."""

    def render(self) -> Any:
        """What the environment renders."""
        return self.env.render()

    def close(self) -> None:
        """Close the environment."""
        self.env.close()


def _size(space: gym.Space[Any]) -> tuple[Any, ...]:
    """What makes arrays of two spaces fit each other."""
    return type(space), space.shape, getattr(space, "n", None)


class _State:
    """What an AEC environment tells of itself, each attribute read where it stands.

    Asking the outermost wrapper costs five microseconds an attribute.
    """

    def __init__(self, env: Any):
        names = ("agents", "agent_selection", "terminations", "truncations", "infos", "_cumulative_rewards")
        self._holders = [(_holder(env, name), name) for name in names]
        self.read()

    def read(self) -> None:
        """Take note of what has changed; the dictionaries and the list are the environment's own."""
        agents, asked, terminations, truncations, infos, sums = [getattr(env, name) for env, name in self._holders]
        self.agents: list[str] = agents
        self.asked: str = asked
        self.terminations: dict[str, Any] = terminations
        self.truncations: dict[str, Any] = truncations
        self.infos: dict[str, dict[str, Any]] = infos
        self.sums: dict[str, float] = sums
        """What each agent has earned since it acted."""

    def is_dead(self, agent: str) -> bool:
        """Whether its episode is over."""
        return bool(self.terminations[agent] or self.truncations[agent])


class PettingZooEnv(_SeatedEnv):
    """An AEC environment. Agents may act in any order, several times in a row, and leave early."""

    def __init__(self, env: Any):
        super().__init__(env)
        self._unchecked = _without_checks(env)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; returns what the first agent to act sees, and its info."""
        self.env.reset(seed=seed, options=options)
        self._state = _State(self._unchecked)
        self._terminated[:] = self._truncated[:] = False
        self._views = [self._look(agent) for agent in self.possible_agents]
        return self._views[self._seat[self._state.asked]], dict(self._state.infos.get(self._state.asked, {}))

    def step(self, action: Any) -> Transition:
        """Act for the agent whose turn it is.

        Returns what the next agent to act sees, and for each seat the reward since the last step and whether its
        episode has ended. `IllegalActionError` leaves everything as it was.
        """
        self.check_action(action)
        state = self._state
        before = dict(state.sums)  # what last() reports, for all agents
        before[state.asked] = 0.0  # PettingZoo starts an agent's sum anew when it acts
        self._unchecked.step(self._taken(action))
        state.read()
        rewards = np.zeros(len(self.possible_agents))
        for name, total in state.sums.items():
            rewards[self._seat[name]] = total - before.get(name, 0.0)
        self._note_ends()
        while state.agents and state.is_dead(state.asked):
            self._unchecked.step(None)
            state.read()
        obs, info = self._turn()
        return obs, rewards, self._terminated.copy(), self._truncated.copy(), info

    def _live(self) -> list[str]:
        return self._state.agents

    def _asked(self) -> str:
        return self._state.asked

    def _note_ends(self) -> None:
        """Record the ends of live agents, and what they see at that moment."""
        state = self._state
        for agent in state.agents:
            if not state.is_dead(agent):
                continue
            seat = self._seat[agent]
            if not (self._terminated[seat] or self._truncated[seat]):
                # an end that is both (an illegal move in PettingZoo's terms) is a real end: nothing follows it
                self._terminated[seat] = bool(state.terminations[agent])
                self._truncated[seat] = not self._terminated[seat]
                self._views[seat] = self._look(agent)

    def _look(self, agent: str) -> Observation:
        return self._view(self._seat[agent], self._unchecked.observe(agent), self._state.infos.get(agent, {}))

    def _turn(self) -> tuple[Observation, dict[str, Any]]:
        """What the agent to act sees, with its info; the last that acted, once nobody is left."""
        if not self._state.agents:
            return self._views[0], {}
        agent = self._state.asked
        seat = self._seat[agent]
        self._views[seat] = self._look(agent)
        return self._views[seat], dict(self._state.infos.get(agent, {}))


def _without_checks(env: Any) -> Any:
    """What is inside of PettingZoo's wrappers that look for the mistakes which the adapter refuses."""
    from pettingzoo.utils import wrappers  # here, since native games need no PettingZoo

    checks = (wrappers.OrderEnforcingWrapper, wrappers.AssertOutOfBoundsWrapper, wrappers.TerminateIllegalWrapper)
    while type(env) in checks:
        env = env.env
    return env


def _holder(env: Any, name: str) -> Any:
    """The layer of wrappers that has an attribute itself."""
    while name not in vars(env) and not hasattr(type(env), name) and hasattr(env, "env"):
        env = env.env
    return env


class ParallelPettingZooEnv(_SeatedEnv):
    """A Parallel environment: its agents are asked one after another, and then act at once.

    Nobody sees what the others have chosen; rewards and ends come with the step of the last one asked. An agent whose
    mask is all False has nothing to choose: it is not asked, and action 0 stands for it.
    """

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; returns what the first agent sees, and its info."""
        seen, infos = self.env.reset(seed=seed, options=options)
        self._terminated[:] = self._truncated[:] = False
        self._infos: dict[str, dict[str, Any]] = dict(infos)
        self._views = [self._view(s, seen[a], infos.get(a, {})) for s, a in enumerate(self.possible_agents)]
        self._actions: dict[str, Any] = {}
        return self._turn()

    def step(self, action: Any) -> Transition:
        """Choose for the agent asked; the environment moves when the last live agent has chosen."""
        self.check_action(action)
        self._actions[self._asked()] = self._taken(action)
        rewards = np.zeros(len(self.possible_agents))
        while self._live() and not self._choosing():
            rewards += self._move()
        obs, info = self._turn()
        return obs, rewards, self._terminated.copy(), self._truncated.copy(), info

    def _move(self) -> NDArray[np.float64]:
        """Let the environment step; returns what each seat has earned."""
        rewards = np.zeros(len(self.possible_agents))
        seen, earned, terminated, truncated, self._infos = self.env.step(dict.fromkeys(self._live(), 0) | self._actions)
        self._actions = {}
        for agent in seen:
            seat = self._seat[agent]
            rewards[seat] = earned[agent]
            self._terminated[seat] |= bool(terminated[agent])
            self._truncated[seat] |= bool(truncated[agent]) and not terminated[agent]
            self._views[seat] = self._view(seat, seen[agent], self._infos.get(agent, {}))
        return rewards

    def _choosing(self) -> list[str]:
        """The live agents that have yet to choose."""
        masks = {agent: self._views[self._seat[agent]]["mask"] for agent in self._live()}
        return [agent for agent, mask in masks.items() if agent not in self._actions and (mask.any() or not mask.size)]

    def _live(self) -> list[str]:
        agents: list[str] = self.env.agents
        return agents

    def _asked(self) -> str:
        return self._choosing()[0]

    def _turn(self) -> tuple[Observation, dict[str, Any]]:
        if not self._live():
            return self._views[0], {}
        agent = self._asked()
        return self._views[self._seat[agent]], dict(self._infos.get(agent, {}))
