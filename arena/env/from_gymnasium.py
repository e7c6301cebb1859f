"""`FromGymnasium`: a vector environment of Gymnasium's, in any autoreset mode, for the collector."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import concatenate, create_empty_array, iterate
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.env.ids import Ids, rows_of, seeds_for
from arena.env.stacking import as_objects, stack_observations
from arena.env.workers.errors import WorkerError

Ints = NDArray[np.int64]

RUNNING, FRESH, ENDED, LOST = range(4)
"""States of an environment: in an episode that is being played; in one that has begun by itself and is not played yet;
between episodes; in one that went on by itself, so that steps of it are missing."""


class FromGymnasium:
    """Adapts environments that step all at once and reset automatically to ones that step individually.

    If only some of them are to step, the others take random actions, whose results are dropped and counted
    (`num_dropped_steps`). An episode with dropped steps is dropped to its end; the environment takes part again from
    its next episode. New episodes are taken up with `begin`, so that none is missed whose beginning Gymnasium puts
    elsewhere than at a reset:

    * NEXT_STEP: the step after the last begins the next episode. It is no step of anybody's, and not counted.
    * SAME_STEP: the last step's observation is replaced by the next episode's first; the true one is in the infos.
    * DISABLED: episodes begin with a reset under a mask.

    Observations are stacked as in other vector environments, infos one dictionary for each.
    """

    agents: tuple[str, ...] = ()
    num_agents = 1

    def __init__(self, env: VectorEnv[Any, Any, Any]):
        if "autoreset_mode" not in env.metadata:
            raise UsageError(f"{env} does not say when it begins episodes: give env.metadata an 'autoreset_mode'")
        self._mode = AutoresetMode(env.metadata["autoreset_mode"])
        self._env = env
        self.num_dropped_steps = 0
        """Steps that nobody had asked for."""
        self._at = np.full(len(self), LOST)
        self._obs: Any = None
        self._infos: list[dict[str, Any]] = []
        self._random_actions = deepcopy(env.single_action_space)  # a random stream of its own
        self._random_actions.seed(0)

    def __len__(self) -> int:
        return self._env.num_envs

    @property
    def observation_space(self) -> list[gym.Space[Any]]:
        """The observation space of each environment."""
        return [self._env.single_observation_space] * len(self)

    @property
    def action_space(self) -> list[gym.Space[Any]]:
        """The action space of each environment."""
        return [self._env.single_action_space] * len(self)

    @property
    def running(self) -> NDArray[np.bool_]:
        """Mask of the environments that can be stepped: those in an episode that was begun, [B]."""
        return self._at == RUNNING

    # --- episodes -----------------------------------------------------------------------------------------------

    def reset(
        self, id: Ids = None, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, NDArray[Any]]:
        """Reset all environments, or without automatic resets some; return observations and infos."""
        rows = rows_of(id, len(self))
        if len(rows) == len(self):
            whole = seed is None or isinstance(seed, int | np.integer)
            self._reset(seed if whole else [seeds_for(seed, len(rows))[place] for place in np.argsort(rows)], options)
        elif self._mode is AutoresetMode.DISABLED:
            self._reset_under_mask(rows, seeds_for(seed, len(rows)), options)
        else:
            raise UsageError(f"environments that reset themselves ({self._mode.value}) are reset all or none, not {id}")
        self._at[rows] = RUNNING
        return self._shown(rows), self._infos_of(rows)

    def begin(self, id: Ids = None) -> tuple[Ints, Any, NDArray[Any]]:
        """Take up new episodes in environments of `id`; returns the environments, observations and infos.

        If none of `id` runs or has a new episode, all environments step until one has.
        """
        rows = rows_of(id, len(self))
        if self._mode is AutoresetMode.DISABLED:
            waiting = rows[self._at[rows] >= ENDED]
            self._reset_under_mask(waiting, [None] * len(waiting))
        while len(rows) and (self._at[rows] >= ENDED).all():
            self._advance([], rows[:0])
        fresh = rows[self._at[rows] == FRESH]
        self._at[fresh] = RUNNING
        return fresh, self._shown(fresh), self._infos_of(fresh)

    def step(
        self, action: Any, id: Ids = None
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], NDArray[Any]]:
        """Take one action in each environment of `id`; returns observations, rewards, terminated, truncated, infos.

        `UsageError` if one of them is not `running`, or for a number of actions that does not fit.
        """
        rows = rows_of(id, len(self))
        if len(action) != len(rows):
            raise UsageError(f"step takes {len(rows)} actions, one per environment, not {len(action)}")
        if not self.running[rows].all():
            raise UsageError(f"environments {rows[~self.running[rows]].tolist()} have no running episode; begin one")
        if self._mode is AutoresetMode.DISABLED:  # none of them can be stepped while it is over
            over = np.flatnonzero(self._at == ENDED)
            self._reset_under_mask(over, [None] * len(over))
        rew, terminated, truncated = self._advance(action, rows)
        final = {}
        if self._mode is AutoresetMode.SAME_STEP:
            over = rows[(terminated | truncated)[rows]]
            final = {row: self._infos[row]["final_obs"] for row in over.tolist()}
        infos = [self._infos[row]["final_info"] if row in final else self._infos[row] for row in rows.tolist()]
        return self._shown(rows, final), rew[rows], terminated[rows], truncated[rows], as_objects(infos)

    def _advance(self, action: Any, rows: Ints) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Step all environments, those of `rows` by `action`; returns rewards, terminated and truncated [B] of all."""
        if self._obs is None:
            raise UsageError("reset the environments before they step")
        others = np.ones(len(self), np.bool_)  # than those of `rows`
        others[rows] = False
        try:
            self._obs, *results, infos = self._env.step(self._batched(action, rows, others))
        except UsageError:
            raise
        except Exception as error:
            self._at[:] = LOST
            raise WorkerError(f"{self._env} raised in a step: {error!r}") from error
        rew, terminated, truncated = map(np.asarray, results)
        self._infos = _one_by_one(infos, len(self))
        if len(rows) < len(self):
            begins = (self._at == ENDED) & (self._mode is AutoresetMode.NEXT_STEP)
            self.num_dropped_steps += int((others & ~begins).sum())
            self._at[others] = LOST
            self._at[begins] = FRESH
        self._at[terminated | truncated] = FRESH if self._mode is AutoresetMode.SAME_STEP else ENDED
        return rew.astype(np.float64), terminated, truncated

    def _reset(self, seed: Any, options: dict[str, Any] | None) -> None:
        self._obs, infos = self._env.reset(seed=seed, options=options)
        self._infos = _one_by_one(infos, len(self))

    def _reset_under_mask(self, rows: Ints, seeds: Sequence[int | None], options: dict[str, Any] | None = None) -> None:
        """Begin episodes in these environments, which do not reset automatically."""
        if len(rows) == 0:
            return
        mask, each = np.zeros(len(self), np.bool_), np.full(len(self), None)
        mask[rows], each[rows] = True, seeds
        seed = None if all(one is None for one in seeds) else each.tolist()
        self._reset(seed, {**(options or {}), "reset_mask": mask})
        self._at[rows] = FRESH

    # --- what goes in and comes out -----------------------------------------------------------------------------

    def _batched(self, action: Any, rows: Ints, others: NDArray[np.bool_]) -> Any:
        """Return actions for all environments: those of `rows` as given, of the `others` (mask [B]) at random."""
        if len(rows) == len(self) and isinstance(action, np.ndarray):
            return action[np.argsort(rows)]
        each = {row: self._random_action(row) for row in np.flatnonzero(others).tolist()}
        each |= zip(rows.tolist(), action, strict=True)
        actions = [each[row] for row in range(len(self))]
        space = self._env.single_action_space
        if isinstance(space, gym.spaces.Dict | gym.spaces.Tuple):
            room: Any = create_empty_array(space, len(self))
            return concatenate(space, actions, room)
        return np.array(actions)

    def _random_action(self, row: int) -> Any:
        """Return a random action, a legal one if there is a mask."""
        space, obs = self._random_actions, self._obs
        if isinstance(obs, dict) and "mask" in obs and isinstance(space, gym.spaces.Discrete):
            return space.sample(mask=np.asarray(obs["mask"][row], np.int8))
        return space.sample()

    def _shown(self, rows: Ints, final: dict[int, Any] | None = None) -> Any:
        """Return observations of environments, copied and stacked; `final` holds the last ones of those that ended."""
        final = final or {}
        if len(rows) == 0:
            return None
        if isinstance(self._obs, np.ndarray):
            shown = self._obs[rows]
            for place, row in enumerate(rows.tolist()):
                if row in final:
                    shown[place] = final[row]
            return shown
        each = list(iterate(self._env.observation_space, self._obs))
        return stack_observations([final.get(row, each[row]) for row in rows], lambda i: f"environment {rows[i]}")

    def _infos_of(self, rows: Ints) -> NDArray[Any]:
        return as_objects([self._infos[row] for row in rows.tolist()])

    def render(self) -> list[Any]:
        """Return the rendering of each environment."""
        return list(self._env.render() or ())

    def close(self) -> None:
        """Close the environments."""
        self._env.close()


def _one_by_one(infos: Any, num_envs: int) -> list[dict[str, Any]]:
    """Gymnasium's infos, arrays of all environments with a mask `_key` for each key, as a dictionary an environment."""
    if isinstance(infos, list):  # as its DictInfoToList gives them
        return infos
    each: list[dict[str, Any]] = [{} for _ in range(num_envs)]
    for key, value in infos.items():
        if not key.startswith("_"):
            entries = _one_by_one(value, num_envs) if isinstance(value, dict) else value
            for row in np.flatnonzero(infos.get(f"_{key}", np.ones(num_envs))):
                each[row][key] = entries[row]
    return each
