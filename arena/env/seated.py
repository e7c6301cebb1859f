"""`SeatedEnv`: a multi-agent environment in which one agent acts at a time, for the vector environments."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import prod
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from arena.base.errors import IllegalActionError, UsageError
from arena.env.padding import common_space, fits, padded, places_in
from arena.env.spaces import Actions, Observations, actions_of, flat_observations, observations_of, shared_actions
from arena.env.stacking import stack_observations

Observation = dict[str, Any]
Transition = tuple[Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class SeatedEnv(ABC):
    """Implements Gymnasium's `reset` and `step` with observations `{"agent_id", "obs", "mask"}` of the seat to act.

    Rewards and ends are by seat, [P], the info is that of the seat to act. Agents with different spaces get a common
    one, see `common_space`; actions that an agent's own space lacks are masked. Where there is no common one, as for a
    picture and a vector, observations are flattened; where some actions are numbered and others continuous, they are
    vectors that begin with the number, and the mask of an agent with continuous actions is all False.

    Args:
        env: what is adapted.
        agents: the agents' names by seat.
        observation_spaces: of what each of them sees, masks apart.
        action_spaces: of their actions.

    """

    def __init__(
        self,
        env: Any,
        agents: Sequence[str],
        observation_spaces: Sequence[gym.Space[Any]],
        action_spaces: Sequence[gym.Space[Any]],
    ):
        self.env = env
        self.possible_agents: list[str] = list(agents)
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        shown, acts = common_space(observation_spaces), common_space(action_spaces)
        encoders, decoders = None, None
        if shown is None:
            shown, encoders = flat_observations(observation_spaces)
        if acts is None:
            acts, decoders = shared_actions(action_spaces)
        self.observation_space: gym.Space[Any] = shown
        """Space of what an agent sees, without its action mask; the same for all agents."""
        self.action_space: gym.Space[Any] = acts
        """Space of an agent's actions; the same for all agents."""
        self._encoders, self._decoders = encoders, decoders
        self.groups = _groups(observation_spaces, action_spaces)
        """Seats by group of agents with equal spaces; none if all are equal."""
        self.own_observation_spaces, self.own_action_spaces = list(observation_spaces), list(action_spaces)
        """Spaces of what each agent sees and does, by seat."""
        self._is_padded = not all(fits(space, self.observation_space) for space in observation_spaces)
        self._counts = [own.count for own in decoders] if decoders else [_count_of(space) for space in action_spaces]
        self._num_actions = max(self._counts)
        num_agents = len(self.possible_agents)
        self._views: list[Observation] = []
        self.final_infos: list[dict[str, Any]] = [{} for _ in self.possible_agents]
        """Latest info of every seat."""
        self._terminated = np.zeros(num_agents, np.bool_)
        self._truncated = np.zeros(num_agents, np.bool_)

    def get_wrapper_attr(self, name: str) -> Any:
        """Return an attribute of this adapter or else of the environment, as Gymnasium's wrappers do."""
        try:
            return getattr(self, name)
        except AttributeError:
            return getattr(self.unwrapped, name)

    @property
    def unwrapped(self) -> Any:
        """The environment itself."""
        return self.env.unwrapped

    @property
    def final_obs(self) -> Observation:
        """Return the view of every seat: `obs` [P, ...] and `mask` [P, A] (all True where its episode is over)."""
        name = f"{self.env}"
        return {key: stack_observations([view[key] for view in self._views], lambda i: name) for key in ("obs", "mask")}

    def view_of(self, seat: int) -> Observation:
        """Return what a seat saw last: `agent_id`, `obs` and `mask`."""
        return self._views[seat]

    def begin(self) -> None:
        """Reset the records for a new episode."""
        self._terminated[:] = self._truncated[:] = False
        self._views = [{} for _ in self.possible_agents]

    def note(self, seat: int, shown: Any, mask: Any, info: dict[str, Any]) -> Observation:
        """Record observation, mask (None: all legal) and info of a seat; return the observation with mask."""
        self.final_infos[seat] = dict(info)
        if self._terminated[seat] or self._truncated[seat]:
            legal = np.ones(self._num_actions, np.bool_)
        else:
            legal = np.array(self._own_mask(seat, mask), np.bool_)
        if self._encoders is not None:
            obs = self._encoders[seat](shown)
        else:
            obs = padded(shown, self.observation_space) if self._is_padded else _as_arrays(shown)
        self._views[seat] = {"agent_id": seat, "obs": obs, "mask": legal}
        return self._views[seat]

    def _own_mask(self, seat: int, mask: Any) -> Any:
        """Return the mask of a seat over the common action space."""
        if mask is None:
            mask = np.ones(self._counts[seat], np.bool_)
        return mask if len(mask) >= self._num_actions else np.append(mask, np.zeros(self._num_actions - len(mask)))

    @property
    def num_actions(self) -> int:
        """Largest number of numbered actions of an agent, which a mask is as long as; 0 where there are none."""
        return self._num_actions

    @property
    def pads_actions(self) -> bool:
        """True if actions of the common space are actions of every agent once they are cut to its own shape."""
        return self._decoders is None

    def is_numbered(self, seat: int) -> bool:
        """Return whether the actions of a seat are numbers, which a mask allows."""
        return self._counts[seat] > 0

    def check_action(self, action: Any) -> None:
        """Raise `IllegalActionError` if the current agent's mask forbids the action, `UsageError` if no agent acts."""
        if not self._views or not self._live():
            raise UsageError(f"{self.env}: the episode is over or not yet begun; reset it before it steps")
        seat = self._seat[self._next_agent()]
        if not self.is_numbered(seat):
            return
        mask = self._views[seat]["mask"]
        if isinstance(action, int | np.integer) and 0 <= action < len(mask) and mask[action]:
            return  # the common case
        number = self._number(action)
        if number is None or not 0 <= number < len(mask) or not mask[number]:
            agent, legal = self.possible_agents[seat], np.flatnonzero(mask).tolist()
            raise IllegalActionError(f"{self.env}: action {action} of {agent} is illegal; legal are {legal}")

    def _number(self, action: Any) -> int | None:
        """Return the number of a numbered action; None if it is none."""
        array = np.asarray(action)
        if isinstance(self.action_space, gym.spaces.Box):  # of which the number is the first entry
            first = array.reshape(-1)[0]
            return int(first) if first == np.rint(first) else None
        return int(array.item()) if array.dtype.kind in "iu" and array.size == 1 else None

    def _taken(self, action: Any) -> Any:
        """Return a checked action in the form of the environment."""
        if type(action) is int and self._decoders is None:
            return action  # the common case
        seat = self._seat[self._next_agent()]
        if self._decoders is not None:
            decoder = self._decoders[seat]
            if decoder.box is None:
                return decoder.decode(self._number(action))
            own = self.own_action_spaces[seat]
            assert isinstance(own, gym.spaces.Box)
            return np.clip(decoder.decode(np.asarray(action)[: len(decoder.box.low)]), own.low, own.high)
        if isinstance(self.action_space, gym.spaces.Discrete):
            return int(np.asarray(action).item())
        own = self.own_action_spaces[seat]
        if own is self.action_space or own.shape == self.action_space.shape or own.shape is None:
            return action
        return np.asarray(action)[tuple(map(slice, own.shape))]

    def own_spaces(self, seat: int) -> tuple[Observations, NDArray[np.int64], Actions, NDArray[np.int64]]:
        """Return what a seat sees and does as arrays of its own, each with its places in what all have in common."""
        observations = observations_of(self.own_observation_spaces[seat])
        acts = actions_of(self.own_action_spaces[seat])
        places, entries = np.arange(prod(observations.shape)), np.arange(1 if acts.box is None else len(acts.box.low))
        if self._encoders is None:
            places = places_in(self.observation_space, self.own_observation_spaces[seat])
        if self._decoders is None and acts.box is not None:
            entries = places_in(self.action_space, self.own_action_spaces[seat])
        return observations, places, acts, entries

    @abstractmethod
    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; return what the first agent to act sees, and its info."""

    @abstractmethod
    def step(self, action: Any) -> Transition:
        """Act for the agent that is asked; return what the next one sees, rewards and ends by seat, and its info."""

    @abstractmethod
    def _live(self) -> list[str]:
        """Return the agents whose episode is not over."""

    @abstractmethod
    def _next_agent(self) -> str:
        """Return the agent that acts next."""

    def render(self) -> Any:
        """Return the rendering of the environment."""
        return self.env.render()

    def close(self) -> None:
        """Close the environment."""
        self.env.close()


def _count_of(space: gym.Space[Any]) -> int:
    """Return the number of actions of a space, which a mask is about; 0 where they are not numbered."""
    return int(space.n) if isinstance(space, gym.spaces.Discrete) else 0


def _groups(
    observation_spaces: Sequence[gym.Space[Any]], action_spaces: Sequence[gym.Space[Any]]
) -> tuple[tuple[int, ...], ...]:
    """Return the seats of agents with equal spaces, group by group; none if all are of one group."""
    kinds: list[tuple[gym.Space[Any], gym.Space[Any]]] = []
    groups: list[list[int]] = []
    for seat, kind in enumerate(zip(observation_spaces, action_spaces, strict=True)):
        if kind not in kinds:
            kinds.append(kind)
            groups.append([])
        groups[kinds.index(kind)].append(seat)
    return tuple(map(tuple, groups)) if len(groups) > 1 else ()


def _as_arrays(obs: Any) -> Any:
    """Copy an observation, keeping its dictionaries and tuples of arrays."""
    if isinstance(obs, dict):
        return {key: _as_arrays(part) for key, part in obs.items()}
    if isinstance(obs, tuple):
        return tuple(_as_arrays(part) for part in obs)
    return np.asarray(obs)
