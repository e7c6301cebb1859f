"""`MultiAgentEnv`: environments of several agents in turns, in the form of Tianshou's manual."""

import inspect
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.env.foreign import first_attribute, has, layers, presented
from arena.env.seated import Observation, SeatedEnv, Transition


class MultiAgentEnv(gym.Env[Any, Any]):
    """An environment whose observation names the agent to act: `{"agent_id": 1, "obs": ..., "mask": ...}`.

    Write one as a subclass with `reset` and `step`, or hand over one that there is: `MultiAgentEnv(env)`. The vector
    environments and the collector take either. The form is Tianshou's, in Gymnasium's terms or the older ones:

    * `reset` returns an observation, or an observation and an info; it may take `seed` and `options`.
    * `step(action)` returns an observation, a reward for each agent, `terminated` and `truncated` (or `done`), and an
      info. Ends are those of all, or one an agent.
    * `agent_id` counts from `first_id`: 1, since 0 is for the environment itself; or it is a name. `mask` is boolean
      over the actions; without it, all are legal.
    * `observe(agent_id)`, if there is one, shows what an agent sees at the end of an episode. Else that is what it saw
      last, when it was asked.

    Args:
        env: the environment; None in a subclass, which is one itself.
        num_agents: how many agents there are; by default as many as `possible_agents` or `num_agents` of the
            environment say, 2 if they do not.
        first_id: the `agent_id` of the first agent.

    """

    env: Any = None
    first_id: int = 1

    def __init__(self, env: Any = None, num_agents: int | None = None, first_id: int = 1):
        self.env, self.first_id = env, first_id
        if env is not None:
            self.observation_space, self.action_space = env.observation_space, env.action_space
            self.metadata, self.render_mode = env.metadata, presented(env).render_mode
        if num_agents is not None:
            self.num_agents = num_agents

    @property
    def unwrapped(self) -> Any:
        """The wrapped environment, or this one."""
        return self if self.env is None else self.env.unwrapped

    def reset(self, **given: Any) -> Any:
        """Begin an episode; see above for the result."""
        if self.env is None:
            raise NotImplementedError(f"{type(self).__name__} has no reset")
        return _reset(self.env, given)

    def step(self, action: Any) -> Any:
        """Act for the current agent; see above for the result."""
        if self.env is None:
            raise NotImplementedError(f"{type(self).__name__} has no step")
        return self.env.step(action)

    def render(self) -> Any:
        """Return the rendering of the environment."""
        return None if self.env is None else self.env.render()

    def close(self) -> None:
        """Close the environment."""
        if self.env is not None:
            self.env.close()


def is_multi_agent(env: Any) -> bool:
    """Return whether an environment, or one inside its wrappers, is a `MultiAgentEnv`."""
    return any(isinstance(layer, MultiAgentEnv) for layer in layers(env))


class TurnsEnv(SeatedEnv):
    """A `MultiAgentEnv`, wrapped or not, as the vector environments step it: seats count from 0."""

    def __init__(self, env: Any):
        self._first_id: int = first_attribute(env, "first_id", 1)
        self._observe = first_attribute(env, "observe", None)
        space = env.observation_space
        if isinstance(space, gym.spaces.Dict) and "obs" in space.spaces:
            space = space["obs"]
        agents = _agents_of(env)
        super().__init__(env, agents, [space] * len(agents), [env.action_space] * len(agents))
        self._turn = 0

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; return the observation of the first agent to act, and its info."""
        result = _reset(self.env, {"seed": seed, "options": options})
        self.begin()
        obs, info = result if isinstance(result, tuple) else (result, {})
        return self._shown(obs, info), dict(info)

    def step(self, action: Any) -> Transition:
        """Act for the current agent; return the next agent's observation, and rewards and ends by seat."""
        self.check_action(action)
        obs, rewards, *ends, info = self.env.step(self._taken(action))
        terminated, truncated = self._ends(ends, info)
        reward_by_seat = np.asarray(rewards, np.float64)
        count = len(self.possible_agents)
        if reward_by_seat.shape != (count,):
            raise UsageError(
                f"{self.env}: a step gave rewards of shape {reward_by_seat.shape}, not one for each of {count} agents; "
                "the number is that of MultiAgentEnv(env, num_agents=...)"
            )
        went_on = ~(self._terminated | self._truncated)
        self._terminated |= terminated
        self._truncated |= truncated & ~self._terminated
        shown = self._shown(obs, info)
        self._note_ends(went_on, info)
        return shown, reward_by_seat, self._terminated.copy(), self._truncated.copy(), dict(info)

    def _ends(self, ends: list[Any], info: dict[str, Any]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return terminated and truncated by seat; a lone `done` means truncated if the info says so."""
        if len(ends) == 1:
            cut = bool(info.get("TimeLimit.truncated", False))
            ends = [np.asarray(ends[0], np.bool_) & (not cut), np.asarray(ends[0], np.bool_) & cut]
        if len(ends) != 2:
            raise UsageError(f"{self.env}: a step returns five values (or four, with done), not {len(ends) + 3}")
        each = [np.broadcast_to(np.asarray(end, np.bool_), self._terminated.shape) for end in ends]
        return each[0], each[1]

    def _shown(self, obs: Any, info: dict[str, Any]) -> Observation:
        """Record an observation of the environment."""
        if not isinstance(obs, dict) or not {"agent_id", "obs"} <= obs.keys():
            raise UsageError(f"{self.env}: an observation is a dictionary of agent_id, obs and mask, not {obs!r:.80}")
        try:
            self._turn = self._seat_of(obs["agent_id"])
        except UsageError:
            if self._live():  # at the end nobody is asked
                raise
        return self.note(self._turn, obs["obs"], obs.get("mask"), info)

    def _seat_of(self, agent_id: Any) -> int:
        count = len(self.possible_agents)
        is_number = isinstance(agent_id, int | np.integer)
        seat = int(agent_id) - self._first_id if is_number else self._seat.get(agent_id, -1)
        if not 0 <= seat < count:
            raise UsageError(
                f"{self.env}: agent_id {agent_id} is not among {self._first_id} to {self._first_id + count - 1}; see "
                "num_agents and first_id of MultiAgentEnv"
            )
        return seat

    def _note_ends(self, went_on: NDArray[np.bool_], info: dict[str, Any]) -> None:
        """Record the final observations of agents whose episode has just ended: the environment's, or their last ones.

        For an agent that never acted they are zeros.
        """
        for seat in np.flatnonzero((self._terminated | self._truncated) & went_on).tolist():
            final_obs = self._views[seat].get("obs")
            if self._observe is not None:
                observed = self._observe(seat + self._first_id)
                final_obs = observed["obs"] if isinstance(observed, dict) and "obs" in observed else observed
            self.note(seat, _zeros(self._views[self._turn]["obs"]) if final_obs is None else final_obs, None, info)

    def _live(self) -> list[str]:
        over = self._terminated | self._truncated
        return [agent for agent, gone in zip(self.possible_agents, over, strict=True) if not gone]

    def _next_agent(self) -> str:
        return self.possible_agents[self._turn]


def _agents_of(env: Any) -> Sequence[str]:
    """Return the agents' names, or numbers from 1 if the environment has none."""
    if names := first_attribute(env, "possible_agents", None):
        return [str(name) for name in names]
    return [f"agent_{number}" for number in range(1, int(first_attribute(env, "num_agents", 2)) + 1)]


def _reset(env: Any, given: dict[str, Any]) -> Any:
    """Reset an environment with the arguments that its `reset` accepts; a seed may go to its method `seed`."""
    parameters = inspect.signature(env.reset).parameters
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    if "seed" not in parameters and not takes_any and given.get("seed") is not None and has(env, "seed"):
        env.seed(given["seed"])
    return env.reset(**{key: value for key, value in given.items() if takes_any or key in parameters})


def _zeros(obs: Any) -> Any:
    """Return an observation of all zeros."""
    if isinstance(obs, dict):
        return {key: _zeros(part) for key, part in obs.items()}
    return tuple(map(_zeros, obs)) if isinstance(obs, tuple) else np.zeros_like(obs)
