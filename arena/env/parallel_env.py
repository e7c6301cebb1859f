"""`ParallelEnv`: environments with episodes of different lengths, stepped together."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.env.ids import Ids, rows_of
from arena.env.parallel_backend import ParaMode, backend
from arena.env.parallel_member import ParallelMember, Parcel, is_over, stacked
from arena.env.stacking import as_objects
from arena.env.workers.base import StepResult

Asynchronous = Literal["idle", "restart", "continue"] | None
Align = Literal["batch", "item"]


class ParallelEnv:
    """Steps existing environments together; `asynchronous` determines what happens at the end of an episode.

    An environment that is stopped gives the None result to any action: observation None, reward None, an empty info,
    and Gymnasium's two flags for "done": those with which its episode ended, or `truncated` alone if it was another's
    end that stopped it, since its own episode is cut there and not over.

    Args:
        envs: environment objects of Gymnasium's interface, with five values a step (not the older four). Under "dummy"
            they are stepped themselves, else copies of them in other processes.
        para_mode: where they run: "dummy" in this process, one after another; "subproc" in processes; "ray" in Ray's
            actors; "ray-subproc" in processes below Ray's actors, each of which has its share of the environments.
        asynchronous: None stops all of them once one has ended; "idle" stops the one that has ended; "restart" resets
            it at once, and returns its next episode's first observation with the last one in `info["ended_state"]` and
            `info["reset"]` True (False in other steps; `info["reset_info"]` is the reset's info); "continue" steps it
            on, and whoever calls knows what that means.
        num_cpus: how many processes or actors share the environments, at most one for each of them; None for as many as
            this machine or the Ray cluster has cores. "dummy" has this process alone.
        num_gpus: how many GPUs Ray's actors share.
        no_warning: drop the warnings of the environments.

    """

    def __init__(
        self,
        envs: Sequence[Any],
        para_mode: ParaMode = "dummy",
        asynchronous: Asynchronous = None,
        num_cpus: int | None = None,
        num_gpus: int = 0,
        no_warning: bool = True,
    ):
        _require_choice("para_mode", para_mode, get_args(ParaMode))
        _require_choice("asynchronous", asynchronous, (None, "idle", "restart", "continue"))
        _require_environments(envs)
        restarts = asynchronous == "restart"
        members = [partial(ParallelMember, env, row, restarts, no_warning) for row, env in enumerate(envs)]
        self._venv = backend(members, para_mode, num_cpus, num_gpus)
        self._asynchronous = asynchronous
        self._ends: list[tuple[Any, Any] | None] = [None] * len(envs)
        """End of each environment's episode: (terminated, truncated); None while it goes on."""
        self._was_reset = np.zeros(len(envs), np.bool_)

    def __len__(self) -> int:
        return len(self._venv)

    @property
    def is_closed(self) -> bool:
        """True after `close`."""
        return self._venv.is_closed

    def has_done(self) -> bool:
        """Return whether an environment has ended or was stopped since its last reset."""
        return any(end is not None for end in self._ends)

    def all_done(self) -> bool:
        """Return whether all environments are done."""
        return all(end is not None for end in self._ends)

    def get_env_attr(self, key: str, id: Ids = None) -> list[Any]:
        """Return the attribute `key` of each environment of `id`, None where it is missing."""
        return self._venv.call("look_up", [((key,), {})] * len(self._rows_of(id)), id)

    def set_env_attr(self, key: str, value: Any, id: Ids = None) -> None:
        """Set the attribute `key` in each environment of `id`."""
        self._venv.set_env_attr(key, value, id)

    def customized_method(
        self, env_method: str, data: Sequence[Mapping[str, Any]] | None = None, id: Ids = None
    ) -> list[Any]:
        """Call the method `env_method` of each environment of `id`, all at once; returns what each returned.

        `data` holds a dictionary of named arguments for each of them; None calls without any.
        """
        rows = self._rows_of(id)
        data = [{}] * len(rows) if data is None else data
        if isinstance(data, Mapping) or not all(isinstance(one, Mapping) for one in data):
            raise UsageError("data is a list of dictionaries of named arguments, one per environment")
        if len(data) != len(rows):
            raise UsageError(f"data holds {len(data)} dictionaries of arguments for {len(rows)} environments")
        return self._venv.call("perform", [((env_method, one), {}) for one in data], rows)

    def reset(self, id: Ids = None) -> tuple[Any, NDArray[Any]]:
        """Begin an episode in each environment of `id`; return observations and infos.

        Observations are stacked, [R, ...] for R environments, if they fit each other, else objects [R].
        """
        rows = self._rows_of(id)
        parcels, _ = self._venv.reset(rows)
        for row in rows:
            self._ends[row] = None
        self._was_reset[rows] = True
        observations, infos = zip(*(parcel.values for parcel in parcels), strict=True)
        return stacked(observations), as_objects(infos)

    def seed(self, seed: int | Sequence[int] | NDArray[np.integer[Any]] | None) -> list[int | None]:
        """Use these seeds at the next reset of each environment; a whole number counts up over them. Returns them."""
        return self._venv.seed(seed.tolist() if isinstance(seed, np.ndarray) else seed)

    def step(self, action: Any, id: Ids = None, align: Align = "item") -> Any:
        """Take one action in each environment of `id`; `asynchronous` determines what happens in those that are done.

        Returns for `align` "batch" a list of R tuples of observation, reward, terminated, truncated and info; for
        "item" those five, each of R environments: observations stacked [R, ...] if they fit each other and none is
        None, else objects [R]; rewards float64 [R], objects if one is None; flags bool [R]; infos objects [R].

        Raises `UsageError` for a number of actions that does not fit, or an environment not yet reset. An error of an
        environment is raised when all have finished: it must be reset, and `step(None)` fetches the others.
        """
        _require_choice("align", align, get_args(Align))
        if action is None:
            return _aligned(self._noted(self._venv.step(None, id)[0]).values(), align)
        rows = self._rows_of(id)
        if len(action) != len(rows):
            raise UsageError(f"step takes {len(rows)} actions, one per environment, not {len(action)}")
        moving = self._moving(rows)
        results: dict[int, StepResult] = {}
        if moving.any():
            taken = [one for one, moves in zip(action, moving, strict=True) if moves]
            results = self._noted(self._venv.step(taken, rows[moving])[0])
        return _aligned([results.get(row) or self._none_result(row) for row in rows.tolist()], align)

    def rollout(self) -> list[Batch]:
        """Run every environment to its end with random legal actions, each at its own pace in its own process.

        Those that are done or not yet reset are reset first. Actions are drawn from the `action_space`, which `seed`
        has seeded; a mask of legal ones counts that stands in the observation or the info as `action_mask` or `mask`
        (bool [A]). All are done afterwards, whatever `asynchronous` says. An environment that never ends never returns.

        Returns a `Batch` of T steps for each: `obs, act, rew, terminated, truncated, obs_next, info`.
        """
        fresh = [row for row, end in enumerate(self._ends) if end is not None or not self._was_reset[row]]
        if fresh:
            self.reset(fresh)
        self._ends = [(False, True)] * len(self)  # should one raise, they stand anywhere
        steps = self._venv.call("rollout", [((), {})] * len(self))
        self._ends = [(one.terminated[-1], one.truncated[-1]) for one in steps]
        return steps

    def close(self) -> None:
        """Close the environments; idempotent, and also called on garbage collection."""
        self._venv.close()

    def _rows_of(self, id: Ids) -> NDArray[np.int64]:
        if self.is_closed:
            raise UsageError("the environments are closed")
        rows = rows_of(id, len(self))
        if len(rows) == 0:
            raise UsageError("id is empty: there is no environment to answer")
        return rows

    def _moving(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of `rows` take an action, bool [R]: all but the stopped ones."""
        is_done = np.array([self._ends[row] is not None for row in rows])
        if self._asynchronous == "continue":
            return np.ones_like(is_done)
        if self._asynchronous == "restart" and is_done.any():  # after a rollout
            raise UsageError(f"environments {rows[is_done].tolist()} are done; reset them before they step")
        return ~is_done

    def _noted(self, parcels: Sequence[Parcel]) -> dict[int, StepResult]:
        """Return the results of steps by environment, and record which episodes ended."""
        results: dict[int, StepResult] = {parcel.row: parcel.values for parcel in parcels}
        if self._asynchronous != "restart":
            for row, (_, _, terminated, truncated, _) in results.items():
                if self._ends[row] is None and is_over(terminated, truncated):
                    self._ends[row] = terminated, truncated
        if self._asynchronous is None and self.has_done():
            self._ends = [end or (False, True) for end in self._ends]
        return results

    def _none_result(self, row: int) -> StepResult:
        """Return the result of stepping a stopped environment."""
        end = self._ends[row]
        assert end is not None
        return None, None, *end, {}


def _aligned(results: Any, align: Align) -> Any:
    """Return results of R environments as R tuples, or as five batches of R."""
    if align == "batch":
        return list(results)
    obs, rew, terminated, truncated, infos = zip(*results, strict=True)
    rewards = as_objects(rew) if any(one is None for one in rew) else np.asarray(rew, np.float64)
    return stacked(obs), rewards, _flags(terminated), _flags(truncated), as_objects(infos)


def _flags(flags: Sequence[Any]) -> NDArray[np.bool_]:
    """Return flags [R], or [R, P] if environments with P agents are among them."""
    return np.stack(np.broadcast_arrays(*flags)).astype(np.bool_)


def _require_choice(name: str, value: Any, choices: Sequence[Any]) -> None:
    if value not in choices:
        raise UsageError(f"{name}={value!r} is none of {', '.join(map(repr, choices))}")


def _require_environments(envs: Sequence[Any]) -> None:
    if len(envs) == 0:
        raise UsageError("ParallelEnv needs at least one environment")
    for row, env in enumerate(envs):
        if not all(hasattr(env, name) for name in ("reset", "step", "action_space")):
            made = ", not functions that make them" if callable(env) else ""
            raise UsageError(f"ParallelEnv takes environments{made}; envs[{row}] is {env!r}")
    if len({id(env) for env in envs}) < len(envs):
        raise UsageError("envs holds an environment twice; each is stepped on its own and has to be another object")
