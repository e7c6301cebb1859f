"""`GymVectorEnv`: our vector environments, batches of games included, as Gymnasium's `VectorEnv`."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium import Env, Space
from gymnasium.spaces.utils import is_space_dtype_shape_equiv
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_differing_spaces, batch_space, create_empty_array
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.env.base import BaseVectorEnv, DummyVectorEnv
from arena.env.games import VectorGames
from arena.env.gym_arrays import Ints, placed, single, spread
from arena.env.gym_members import Infos, members_of
from arena.env.ids import seeds_for
from arena.env.stacking import as_objects

Step = tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]
ObservationMode = str | Space[Any] | tuple[Space[Any], Space[Any]]


class SpaceMismatchError(UsageError, RuntimeError):
    """Environments whose spaces do not fit each other; a `RuntimeError`, as Gymnasium raises."""


class GymVectorEnv(VectorEnv[Any, Any, NDArray[Any]]):
    """Behaves like Gymnasium's `SyncVectorEnv`, for environments in any worker and batches of games.

    An environment whose episode is over begins the next one by `autoreset_mode`: with the next step, whose action it
    ignores and whose reward is 0 (NEXT_STEP); within the same step, which leaves the last observation and info in
    `final_obs` and `final_info` of the infos (SAME_STEP); or when it is told to (DISABLED), by a reset with
    `options={"reset_mask": mask}`, a boolean array, which resets those under True and no others.

    **Environments of several agents**, a batch of games or adapted PettingZoo environments: an observation is a
    dictionary of the seat to move (`agent_id`), what it sees (`obs`) and which actions it has (`mask`, int8 as
    Gymnasium samples by, all 1 once the game is over). The reward is that of the seat that has just acted; the infos
    hold the number of that `seat` and the `rewards` [n, P] of all. Both flags are those of the whole: an episode ends
    with its last agent, truncated if any agent was.

    Where this differs from `SyncVectorEnv`: a finished environment that has to be reset first and a number of actions
    that does not fit raise `UsageError`, a `ValueError`; `options` are left as they were given, so that wrappers
    outside see the mask too; a vector environment that normalises observations shows a space from -10 to 10.

    Args:
        env: the vector environment to show, which this one closes; or functions that make environments, to be stepped
            one after another.
        copy: return copies of the observations; else every call overwrites and returns the same arrays.
        observation_mode: "same": all have one observation space; "different": spaces of one shape and dtype with bounds
            of their own; a `Space` of that shape and dtype for one environment (or for all of them together) in place
            of theirs, or both as a tuple (that of all, that of one).
        autoreset_mode: when the next episode begins.

    Raises `SpaceMismatchError`, a `RuntimeError`, if the environments' spaces do not fit.

    """

    def __init__(
        self,
        env: BaseVectorEnv | VectorGames | Sequence[Callable[[], Env[Any, Any]]],
        copy: bool = True,
        observation_mode: ObservationMode = "same",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    ):
        self.autoreset_mode = _mode(autoreset_mode)
        self.env = env if isinstance(env, BaseVectorEnv | VectorGames) else DummyVectorEnv(env)
        """The vector environment shown."""
        self.copy, self.observation_mode = copy, observation_mode
        self._members = members_of(self.env)
        self.num_envs = len(self.env)
        self.metadata = self._members.metadata | {"autoreset_mode": self.autoreset_mode}
        self.render_mode = self._members.render_mode
        self.single_action_space = self._members.action_spaces[0]
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space, self.single_observation_space = _spaces(
            self._members.observation_spaces, observation_mode
        )
        self._check_spaces()
        self._all = np.arange(self.num_envs)
        self._over = np.zeros(self.num_envs, np.bool_)  # whose last step ended an episode
        self._observations: Any = create_empty_array(self.single_observation_space, self.num_envs, np.zeros)

    def _check_spaces(self) -> None:
        first = self.single_observation_space
        for row, space in enumerate(self._members.observation_spaces):
            if self.observation_mode == "same" and space != first:
                raise SpaceMismatchError(
                    f"environment {row} has the observation space {space}, not {first}; observation_mode='different' "
                    "allows for bounds of their own"
                )
            if not is_space_dtype_shape_equiv(space, first):
                raise SpaceMismatchError(
                    f"environment {row} has the observation space {space}, of another shape or dtype than {first}"
                )
        for row, space in enumerate(self._members.action_spaces):
            if space != self.single_action_space:
                raise SpaceMismatchError(
                    f"environment {row} has the action space {space}, not {self.single_action_space} as the first"
                )

    # --- episodes -----------------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Reset all environments, or those under True in `options["reset_mask"]`; returns observations and infos.

        A whole `seed` counts up over all the environments; a list has one for each, None for a random one.
        """
        seeds = seeds_for(seed, self.num_envs)
        rows = self._all
        if options is not None and "reset_mask" in options:
            rows = np.flatnonzero(_checked_mask(options["reset_mask"], self.num_envs))
            options = {key: value for key, value in options.items() if key != "reset_mask"}
        infos = self._begin(rows, [seeds[row] for row in rows], options)
        self._over[rows] = False
        return self._current_observations(), self._gathered([(rows, infos)])

    def step(self, actions: Any) -> Step:
        """Take one action in each environment; returns observations, rewards, terminated, truncated [n], and infos."""
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros(self.num_envs, np.bool_), np.zeros(self.num_envs, np.bool_)
        resetting = np.flatnonzero(self._over) if self.autoreset_mode is AutoresetMode.NEXT_STEP else self._all[:0]
        rows = np.delete(self._all, resetting)
        info_parts = []
        if len(rows):
            obs, rew, ended, cut, infos = self._members.step(self.action_space, actions, rows)
            rewards[rows], terminated[rows], truncated[rows] = rew, ended, cut
            self._observations = placed(self.single_observation_space, self._observations, obs, rows)
            info_parts.append((rows, infos))
        if len(resetting):
            info_parts.append((resetting, self._begin(resetting)))
        self._over = terminated | truncated
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._over.any():
            resetting = np.flatnonzero(self._over)  # all have stepped, so that rows are places as well
            final = [single(self.single_observation_space, obs, row) for row in resetting.tolist()]
            going = np.flatnonzero(~self._over)
            info_parts = [(going, _of(infos, going)), (resetting, _last(final, _of(infos, resetting)))]
            info_parts.append((resetting, self._begin(resetting)))
        return self._current_observations(), rewards, terminated, truncated, self._gathered(info_parts)

    def _begin(self, rows: Ints, seeds: list[int | None] | None = None, options: Any = None) -> Infos:
        obs, infos = self._members.reset(rows, seeds or [None] * len(rows), options)
        self._observations = placed(self.single_observation_space, self._observations, obs, rows)
        return infos

    def _current_observations(self) -> Any:
        return deepcopy(self._observations) if self.copy else self._observations

    def _gathered(self, parts: Sequence[tuple[Ints, Infos]]) -> dict[str, Any]:
        """Merge infos of parts of the environments into arrays over all, with a mask `_key` for every key."""
        infos: dict[str, Any] = {}
        single_infos: list[tuple[int, dict[str, Any]]] = []
        for rows, given in parts:
            if len(rows) == 0:
                continue
            if isinstance(given, dict):
                spread(infos, given, rows, self.num_envs)
            else:
                single_infos += zip(rows.tolist(), given, strict=True)
        for row, info in sorted(single_infos, key=lambda pair: pair[0]):  # the first one settles an array's dtype
            infos = self._add_info(infos, info, row)
        return infos

    # --- the environments ---------------------------------------------------------------------------------------

    @property  # type: ignore[misc]  # as in SyncVectorEnv: one for each, and not to be set
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The random number generators of the environments; copies of those in other processes."""
        return self.get_attr("np_random")

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]  # as there
        """The seeds of the environments' generators."""
        return self.get_attr("np_random_seed")

    def render(self) -> tuple[Any, ...]:
        """Return the rendering of each environment."""
        return tuple(self.env.render())

    def call(self, name: str, /, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call the method `name` of each environment; an attribute that cannot be called is returned as it is.

        For a batch of games, the attribute is that of their `Game`, the description of the rules.
        """
        return tuple(self._members.call(name, args, kwargs))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return the attribute `name` of each environment; a method is called."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set the attribute `name` of each environment: a list or tuple has one value for each, else all get the same.

        `UsageError`, a `ValueError`, for a list of another length.
        """
        each = values if isinstance(values, list | tuple) else [values] * self.num_envs
        if len(each) != self.num_envs:
            raise UsageError(f"set_attr takes {self.num_envs} values of {name!r}, one per environment, not {len(each)}")
        self._members.set_attr(name, each)

    def close_extras(self) -> None:
        """Close the vector environment shown."""
        self.env.close()


def _mode(mode: str | AutoresetMode) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        known = ", ".join(repr(known.value) for known in AutoresetMode)
        raise UsageError(f"autoreset_mode={mode!r} is none of {known}") from None


def _spaces(each: list[Space[Any]], mode: ObservationMode) -> tuple[Space[Any], Space[Any]]:
    """The observation space of all environments together and that of one."""
    num_envs = len(each)
    if isinstance(mode, tuple) and len(mode) == 2:
        if not all(isinstance(space, Space) for space in mode):
            raise TypeError(f"observation_mode={mode} is not a tuple of two spaces")
        return mode
    if isinstance(mode, Space):
        if is_space_dtype_shape_equiv(mode, batch_space(each[0], num_envs)):
            return mode, each[0]
        return batch_space(mode, num_envs), mode
    if mode == "same":
        return batch_space(each[0], num_envs), each[0]
    if mode == "different":
        if not all(is_space_dtype_shape_equiv(space, each[0]) for space in each):
            raise SpaceMismatchError(f"the observation spaces are not of one shape and dtype: {each}")
        return batch_differing_spaces(each), each[0]
    raise UsageError(f"observation_mode={mode!r} is none of 'same', 'different', a Space, a tuple of two spaces")


def _checked_mask(mask: Any, num_envs: int) -> NDArray[np.bool_]:
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        kind = mask.dtype if isinstance(mask, np.ndarray) else type(mask)
        raise TypeError(f"options['reset_mask'] is a boolean numpy array, not {kind}")
    if mask.shape != (num_envs,) or not mask.any():
        raise UsageError(f"options['reset_mask'] has shape ({num_envs},) and one True at least, not {mask}")
    return mask


def _of(infos: Infos, rows: Ints) -> Infos:
    """The infos of some, out of those of all."""
    if isinstance(infos, dict):
        return {key: value[rows] for key, value in infos.items()}
    return [infos[row] for row in rows]


def _last(final: list[Any], infos: Infos) -> Infos:
    """The infos under which the last observations and infos of episodes are found."""
    if isinstance(infos, dict):
        return {"final_obs": as_objects(final), "final_info": infos}
    return [{"final_obs": obs, "final_info": info} for obs, info in zip(final, infos, strict=True)]
