"""Adapters of PettingZoo environments: one agent acts at a time, and dead agents never do.

Both adapters are `SeatedEnv`s, and hide PettingZoo's dead steps.
"""

from operator import attrgetter
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from arena.env.foreign import holder
from arena.env.seated import Observation, SeatedEnv, Transition
from games.engine.errors import ContractError


class _PettingZooSeats(SeatedEnv):
    """Base of both adapters: splits an observation of PettingZoo into `obs` and `mask`."""

    def __init__(self, env: Any):
        agents = list(env.possible_agents)
        observation_spaces = [_without_mask(env.observation_space(agent)) for agent in agents]
        super().__init__(env, agents, observation_spaces, [env.action_space(agent) for agent in agents])

    def _look_at(self, seat: int, obs: Any, info: dict[str, Any]) -> Observation:
        """Record the observation and info of a seat; either may contain the mask."""
        mask = info.get("action_mask")
        if isinstance(obs, dict) and "action_mask" in obs:
            mask = obs["action_mask"]
            usual = len(obs) == 2 and "observation" in obs
            obs = obs["observation"] if usual else {key: part for key, part in obs.items() if key != "action_mask"}
        return self.note(seat, obs, mask, info)


def _without_mask(space: gym.Space[Any]) -> gym.Space[Any]:
    """Return the observation space without the action mask."""
    if not isinstance(space, gym.spaces.Dict) or "action_mask" not in space.spaces:
        return space
    parts = {key: part for key, part in space.spaces.items() if key != "action_mask"}
    return parts["observation"] if parts.keys() == {"observation"} else gym.spaces.Dict(parts)


class _State:
    """State of an AEC environment, each attribute read from the object that holds it.

    Asking the outermost wrapper costs five microseconds an attribute.
    """

    def __init__(self, env: Any):
        names = ("agents", "agent_selection", "terminations", "truncations", "infos", "_cumulative_rewards")
        self._readers = [(holder(env, name), attrgetter(name)) for name in names]
        if len({id(one) for one, _ in self._readers}) == 1:  # as is usual: all in one call
            self._readers = [(self._readers[0][0], attrgetter(*names))]
        self.read()

    def read(self) -> None:
        """Read the current values; the dictionaries and the list are the environment's own."""
        readers = self._readers
        values = readers[0][1](readers[0][0]) if len(readers) == 1 else [read(env) for env, read in readers]
        agents, selected, terminations, truncations, infos, sums = values
        self.agents: list[str] = agents
        self.selected: str = selected
        self.terminations: dict[str, Any] = terminations
        self.truncations: dict[str, Any] = truncations
        self.infos: dict[str, dict[str, Any]] = infos
        self.sums: dict[str, float] = sums
        """Rewards of each agent since it acted."""

    def is_dead(self, agent: str) -> bool:
        """True if its episode is over."""
        return bool(self.terminations[agent] or self.truncations[agent])


class PettingZooEnv(_PettingZooSeats):
    """An AEC environment. Agents may act in any order, several times in a row, and leave early."""

    def __init__(self, env: Any):
        super().__init__(env)
        self._unchecked = _without_checks(env)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; return the observation of the first agent to act, and its info."""
        self.env.reset(seed=seed, options=options)
        self._state = _State(self._unchecked)
        self.begin()
        for agent in self.possible_agents:
            self._look(agent)
        return self._views[self._seat[self._state.selected]], dict(self._state.infos.get(self._state.selected, {}))

    def step(self, action: Any) -> Transition:
        """Act for the agent whose turn it is.

        Returns the observation of the next agent to act, and for each seat the reward since the last step and whether
        its episode has ended. `IllegalActionError` changes nothing.
        """
        self.check_action(action)
        state = self._state
        before = dict(state.sums)  # what last() reports, for all agents
        before[state.selected] = 0.0  # PettingZoo resets an agent's sum when it acts
        self._unchecked.step(self._taken(action))
        state.read()
        rewards = np.zeros(len(self.possible_agents))
        for name, total in state.sums.items():
            rewards[self._seat[name]] = total - before.get(name, 0.0)
        self._note_ends()
        while state.agents and state.is_dead(state.selected):
            self._unchecked.step(None)
            state.read()
        obs, info = self._turn()
        return obs, rewards, self._terminated.copy(), self._truncated.copy(), info

    def _live(self) -> list[str]:
        return self._state.agents

    def _next_agent(self) -> str:
        return self._state.selected

    def _note_ends(self) -> None:
        """Record the ends of live agents, with their final observations."""
        state = self._state
        terminations, truncations = state.terminations, state.truncations
        for agent in state.agents:
            if not (terminations[agent] or truncations[agent]):
                continue
            seat = self._seat[agent]
            if not (self._terminated[seat] or self._truncated[seat]):
                # an end that is both (an illegal move in PettingZoo's terms) is a real end: nothing follows it
                self._terminated[seat] = bool(terminations[agent])
                self._truncated[seat] = not self._terminated[seat]
                self._look(agent)

    def _look(self, agent: str) -> Observation:
        return self._look_at(self._seat[agent], self._unchecked.observe(agent), self._state.infos.get(agent, {}))

    def _turn(self) -> tuple[Observation, dict[str, Any]]:
        """Return the view and info of the agent to act or, if none is left, of the last one that acted."""
        if not self._state.agents:
            return self._views[0], {}
        agent = self._state.selected
        return self._look(agent), dict(self._state.infos.get(agent, {}))


def _without_checks(env: Any) -> Any:
    """Return the environment inside PettingZoo's checking wrappers; the adapter refuses the same mistakes."""
    from pettingzoo.utils import wrappers  # here, since native games need no PettingZoo

    checks = (wrappers.OrderEnforcingWrapper, wrappers.AssertOutOfBoundsWrapper, wrappers.TerminateIllegalWrapper)
    while type(env) in checks:
        env = env.env
    return env


class ParallelPettingZooEnv(_PettingZooSeats):
    """A Parallel environment: its agents choose one after another, and then act at once.

    No agent sees the choices of the others; rewards and ends are returned by the step of the last one. An agent whose
    mask is all False is skipped, with action 0 in its place. `step` raises `ContractError` where the environment leaves
    out the reward or the end of an agent, or leaves no agent an action.
    """

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; return the observation of the first agent, and its info."""
        observations, infos = self.env.reset(seed=seed, options=options)
        self.begin()
        self._infos: dict[str, dict[str, Any]] = dict(infos)
        for seat, agent in enumerate(self.possible_agents):
            self._look_at(seat, observations[agent], infos.get(agent, {}))
        self._actions: dict[str, Any] = {}
        return self._turn()

    def step(self, action: Any) -> Transition:
        """Choose for the current agent; the environment steps when the last live agent has chosen."""
        self.check_action(action)
        self._actions[self._next_agent()] = self._taken(action)
        rewards = np.zeros(len(self.possible_agents))
        while self._live() and not self._choosing():
            rewards += self._move()
            if self._live() and not self._choosing():
                raise ContractError(f"masks every action of {' and '.join(self._live())}")
        obs, info = self._turn()
        return obs, rewards, self._terminated.copy(), self._truncated.copy(), info

    def _move(self) -> NDArray[np.float64]:
        """Step the environment; return the reward of each seat."""
        rewards = np.zeros(len(self.possible_agents))
        observations, reward_by_agent, terminated, truncated, self._infos = self.env.step(
            dict.fromkeys(self._live(), 0) | self._actions
        )
        self._actions = {}
        given = {"reward": reward_by_agent, "termination": terminated, "truncation": truncated}
        for agent in observations:
            if lacking := [what for what, by_agent in given.items() if agent not in by_agent]:
                raise ContractError(f"gave agent {agent} no {lacking[0]}")
            seat = self._seat[agent]
            rewards[seat] = reward_by_agent[agent]
            self._terminated[seat] |= bool(terminated[agent])
            self._truncated[seat] |= bool(truncated[agent]) and not terminated[agent]
            self._look_at(seat, observations[agent], self._infos.get(agent, {}))
        return rewards

    def _choosing(self) -> list[str]:
        """Return the live agents that have not chosen yet."""
        seats = {agent: self._seat[agent] for agent in self._live() if agent not in self._actions}
        return [a for a, seat in seats.items() if not self.is_numbered(seat) or self._views[seat]["mask"].any()]

    def _live(self) -> list[str]:
        agents: list[str] = self.env.agents
        return agents

    def _next_agent(self) -> str:
        return self._choosing()[0]

    def _turn(self) -> tuple[Observation, dict[str, Any]]:
        if not self._live():
            return self._views[0], {}
        agent = self._next_agent()
        return self._views[self._seat[agent]], dict(self._infos.get(agent, {}))
