"""`BaseVectorEnv`: several environments behind one interface, each held by a worker; `DummyVectorEnv` in turn."""

import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, get_args

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.data.statistics import RunningMeanStd
from arena.env.ids import Ids, rows_of, seeds_for
from arena.env.restarting import Restarts
from arena.env.stacking import as_objects, stack_observations
from arena.env.together import close_all, each, raise_first, start_all
from arena.env.workers.base import EnvWorker, ResetResult, StepResult
from arena.env.workers.dummy import DummyEnvWorker
from arena.env.workers.errors import WorkerError

OnFailure = Literal["raise", "restart"]
OVER, READY, BUSY = False, True, 2  # of an environment: done or not yet reset; may step; a step is to be fetched


class BaseVectorEnv:
    """The environments that `env_fns` make, each in a worker that `worker_fn` makes.

    Environments speak Gymnasium's five-value step, or are `PettingZooEnv`s. Results are stacked over environments, R
    rows for the R environments of `id`: observations [R, ...] (a `Batch` of arrays if they are dictionaries, objects if
    they are not made of numbers), rewards and ends [R], or [R, P] for P agents, infos an object array [R]. Nothing
    resets itself.

    Args:
        env_fns: make the environments.
        worker_fn: makes the worker that holds what an `env_fn` makes.
        wait_num: steps are asynchronous: a step returns once so many environments have finished theirs.
        timeout: steps are asynchronous: a step returns what has finished after so many seconds, one at least.
        norm_obs: normalise observations, which have to be arrays, by mean and deviation of all seen so far.
        obs_rms: the moments to normalise by, say those of training in an evaluation; None begins new ones.
        update_obs_rms: whether what these environments show counts for `obs_rms`.
        on_failure: what comes of an environment that raises, dies or hangs: "raise" what it was, or "restart" it. Its
            episode then ends truncated with the observation it showed last, reward 0 and the reason in
            `info["restarted"]`; a warning tells of it and `num_restarts` counts. So do those of others that its process
            hosted. Attributes set on it are lost.

    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Any]],
        worker_fn: Callable[[Callable[[], Any]], EnvWorker],
        wait_num: int | None = None,
        timeout: float | None = None,
        norm_obs: bool = False,
        obs_rms: RunningMeanStd | None = None,
        update_obs_rms: bool = True,
        on_failure: OnFailure = "raise",
    ):
        if not env_fns:
            raise UsageError("a vector environment needs at least one function that makes an environment")
        if wait_num is not None and not 1 <= wait_num <= len(env_fns):
            raise UsageError(f"wait_num={wait_num} is not between 1 and the number of environments, {len(env_fns)}")
        if timeout is not None and not timeout > 0:
            raise UsageError(f"timeout={timeout} is not a number of seconds above 0")
        if obs_rms is not None and not norm_obs:
            raise UsageError("obs_rms is given, but norm_obs is False: nothing would be normalised by it")
        if on_failure not in get_args(OnFailure):
            raise UsageError(f"on_failure={on_failure!r} is neither 'raise' nor 'restart'")
        self.obs_rms = RunningMeanStd() if norm_obs and obs_rms is None else obs_rms
        """Moments of the observations; None unless `norm_obs`."""
        self.norm_obs, self.update_obs_rms = norm_obs, update_obs_rms
        self.is_async = wait_num is not None or timeout is not None
        self._wait_num, self._timeout = wait_num or len(env_fns), timeout
        self.workers = start_all(env_fns, worker_fn)
        self._finalizer = weakref.finalize(self, close_all, self.workers)
        self._is_elsewhere = any(type(worker).flush is not EnvWorker.flush for worker in self.workers)
        self._checks_actions = any(worker.checks_actions for worker in self.workers)
        self._state = np.full(len(self), OVER, np.int8)
        self._finished: dict[int, StepResult] = {}  # results to be fetched, of steps beside one that failed
        self.num_dropped_steps = 0
        """Steps whose results nobody saw, since their environment was reset first."""
        self.agents: tuple[str, ...] = tuple(self._first_attr("possible_agents") or ())
        """Names of the agents by seat; empty for single-agent environments."""
        self._restarts = Restarts(self.workers, len(self.agents)) if on_failure == "restart" else None

    @property
    def is_closed(self) -> bool:
        """True after `close`."""
        return not self._finalizer.alive

    def __len__(self) -> int:
        return len(self.workers)

    @property
    def num_agents(self) -> int:
        """Number of seats, 1 for single-agent environments."""
        return len(self.agents) or 1

    @property
    def num_restarts(self) -> int:
        """Number of environments that failed and were replaced."""
        return 0 if self._restarts is None else self._restarts.count

    @property
    def observation_space(self) -> list[gym.Space[Any]]:
        """The observation space of each environment."""
        return self.get_env_attr("observation_space")

    @property
    def action_space(self) -> list[gym.Space[Any]]:
        """The action space of each environment."""
        return self.get_env_attr("action_space")

    def _first_attr(self, key: str) -> Any:
        try:
            return self.workers[0].get_env_attr(key)
        except AttributeError:
            return None

    def get_env_attr(self, key: str, id: Ids = None) -> list[Any]:
        """Return the attribute `key` of each environment of `id`."""
        self._require_open()
        return [self.workers[row].get_env_attr(key) for row in rows_of(id, len(self))]

    def set_env_attr(self, key: str, value: Any, id: Ids = None) -> None:
        """Set the attribute `key` in each environment of `id`."""
        self._require_open()
        for row in rows_of(id, len(self)):
            self.workers[row].set_env_attr(key, value)

    def call(
        self, name: str, arguments: Sequence[tuple[Sequence[Any], Mapping[str, Any]]], id: Ids = None
    ) -> list[Any]:
        """Call the method `name` of each environment of `id`, all at once; returns what each returned.

        `arguments` holds a pair of positional and named arguments for each environment. An attribute that is not
        callable is returned as it is.
        """
        self._require_open()
        rows = self._rows_of(id)
        if len(arguments) != len(rows):
            raise UsageError(f"call takes {len(rows)} pairs of arguments, one per environment, not {len(arguments)}")
        requests = zip(rows, arguments, strict=True)
        each([partial(self.workers[row].send_call, name, args, kwargs) for row, (args, kwargs) in requests])
        self._flush(rows)
        return each([self.workers[row].get_call for row in rows])

    def reset(
        self, id: Ids = None, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, NDArray[Any]]:
        """Reset the environments of `id`; returns observations and infos. A whole `seed` counts up over them.

        An unfinished step is completed first; its result is dropped (`num_dropped_steps`).
        """
        self._require_open()
        rows = self._rows_of(id)
        seeds = seeds_for(seed, len(rows))
        self.num_dropped_steps += int(np.count_nonzero(self._state[rows] == BUSY))
        self._state[rows] = OVER
        if self._finished:
            self._finished = {row: result for row, result in self._finished.items() if row not in rows}
        requests = list(zip(rows.tolist(), seeds, strict=True))
        each([partial(self.workers[row].send_reset, seed, options) for row, seed in requests])
        self._flush(rows)
        results = each([partial(self._get_reset, row, seed, options) for row, seed in requests])
        obs = self._shown([obs for obs, _ in results], rows)
        self._state[rows] = READY
        return obs, as_objects([info for _, info in results])

    def _get_reset(self, row: int, seed: int | None, options: dict[str, Any] | None) -> ResetResult:
        try:
            obs, info = self.workers[row].get_reset()
        except Exception as error:
            if self._restarts is None or isinstance(error, UsageError):
                raise
            obs, info = self._restarts.reset(row, error, seed, options)
        if self._restarts is not None:
            self._restarts.record_reset(row, obs)
        return obs, info

    def step(
        self, action: Any, id: Ids = None
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], NDArray[Any]]:
        """Take one action in each environment of `id`; returns observations, rewards, terminated, truncated, infos.

        An asynchronous step returns the results of the environments that have finished, in the order of their numbers,
        given in `info["env_id"]`; the others are busy. With `action` None no step begins, and unfinished steps are
        fetched.

        Raises `UsageError` for a number of actions that does not fit, or an environment that is busy, done or not yet
        reset, and the error of an environment that refuses its action, before any of them steps. An error in a step is
        raised when all have finished: that environment must be reset, and `step(None)` fetches the others. (See
        `on_failure` for the alternative.)
        """
        self._require_open()
        rows = self._rows_under_way(id) if action is None else self._begin(action, self._rows_of(id))
        ready = self._wait() if self.is_async else rows
        results = self._results(ready)
        observations, rew, terminated, truncated, infos = zip(*results, strict=True)
        obs, rewards = self._shown(observations, ready), np.array(rew, np.float64)
        ended, cut = np.array(terminated, np.bool_), np.array(truncated, np.bool_)
        over = ended | cut
        self._state[ready] = ~(over if over.ndim == 1 else over.all(axis=1))
        if self.is_async:
            infos = tuple({**info, "env_id": int(row)} for info, row in zip(infos, ready, strict=True))
        return obs, rewards, ended, cut, as_objects(infos)

    def _rows_under_way(self, id: Ids) -> NDArray[np.int64]:
        rows = np.flatnonzero(self._state == BUSY) if id is None else self._rows_of(id)
        if len(rows) == 0 or (self._state[rows] != BUSY).any():
            raise UsageError("step(None) fetches steps under way, and there are none" + f" in {id}" * (id is not None))
        return rows

    def _begin(self, action: Any, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Begin a step in the environments `rows`."""
        if len(action) != len(rows):
            raise UsageError(f"step takes {len(rows)} actions, one per environment, not {len(action)}")
        states = self._state[rows]
        if np.count_nonzero(states != READY):
            self._refuse(rows, states)
        workers = self.workers
        if self._checks_actions:
            each([partial(workers[row].send_check, one) for row, one in zip(rows.tolist(), action, strict=True)])
            self._flush(rows)
            each([partial(self._get_check, row) for row in rows])
        self._state[rows] = BUSY
        for row, one in zip(rows.tolist(), action, strict=True):
            workers[row].send_action(one)
        self._flush(rows)
        return rows

    def _refuse(self, rows: NDArray[np.int64], states: NDArray[np.int8]) -> None:
        """Raise `UsageError` for environments that cannot step."""
        if len(busy := rows[states == BUSY]):
            raise UsageError(f"environments {busy.tolist()} are busy with a step; step(None) fetches its result")
        over = rows[states == OVER].tolist()
        raise UsageError(f"environments {over} are done or not yet reset; reset them before they step")

    def _get_check(self, row: int) -> None:
        try:
            self.workers[row].get_check()
        except WorkerError:
            if self._restarts is None:
                raise  # else the step will find out

    def _flush(self, rows: NDArray[np.int64]) -> None:
        if self._is_elsewhere:
            for row in rows.tolist():
                self.workers[row].flush()

    def _wait(self) -> NDArray[np.int64]:
        """Wait until enough steps have finished; return their environments in order."""
        if self._finished:  # left by a step beside them that failed
            return np.array(sorted(self._finished), np.int64)
        busy = [self.workers[row] for row in np.flatnonzero(self._state == BUSY)]
        over = set(busy[0].wait(busy, self._wait_num, self._timeout))
        return np.array([row for row, worker in enumerate(self.workers) if worker in over], np.int64)

    def _results(self, rows: NDArray[np.int64]) -> list[StepResult]:
        """Return the results of the steps of `rows`; if one failed, keep the others and raise the failure."""
        results: dict[int, StepResult] = {}
        errors = []
        finished, workers, unguarded = self._finished, self.workers, self._restarts is None
        for row in rows.tolist():
            try:
                if row in finished:
                    results[row] = finished.pop(row)
                else:
                    results[row] = workers[row].get_result() if unguarded else self._guarded_result(row)
            except Exception as error:
                self._state[row] = OVER
                errors.append(error)
        if errors:
            self._finished |= results
            raise_first(errors)
        self._state[rows] = OVER  # unless what came is found to be in order
        return list(results.values())

    def _guarded_result(self, row: int) -> StepResult:
        """Return the result of a step; a failed environment is replaced."""
        assert self._restarts is not None
        try:
            result = self.workers[row].get_result()
        except UsageError:
            raise
        except Exception as error:
            return self._restarts.end(row, error)
        self._restarts.record_observation(row, result[0])
        return result

    def _shown(self, observations: Sequence[Any], rows: NDArray[np.int64]) -> Any:
        """Return observations stacked and, with `norm_obs`, normalised."""
        obs = stack_observations(observations, lambda i: self.workers[rows[i]].name)
        if self.obs_rms is not None and self.update_obs_rms:
            self.obs_rms.update(_numbers(obs))
        return self.normalize_obs(obs)

    def normalize_obs(self, obs: Any) -> Any:
        """Return (observations - mean) / standard deviation, clipped to [-10, 10]; unchanged without `norm_obs`.

        Floats keep their dtype, integers become float32. `UsageError` if they are not arrays of numbers.
        """
        if self.obs_rms is None:
            return obs
        array = _numbers(obs)
        scaled = (array - self.obs_rms.mean) / np.sqrt(self.obs_rms.var + np.finfo(np.float32).eps)
        return scaled.clip(-10.0, 10.0).astype(array.dtype if array.dtype.kind == "f" else np.float32)

    def final_obs(self, id: Ids = None) -> Batch:
        """Return the view of every seat in multi-agent environments `id`: `obs` [R, P, ...] and `mask` [R, P, A]."""
        return Batch.stack([self._final_obs(row) for row in rows_of(id, len(self))])

    def _final_obs(self, row: int) -> Batch:
        views = None if self._restarts is None else self._restarts.final_obs(row)
        return Batch(self.get_env_attr("final_obs", row)[0]) if views is None else views

    def final_infos(self, id: Ids = None) -> NDArray[Any]:
        """Return the latest info of every seat in the multi-agent environments `id`, dictionaries [R, P]."""
        rows = rows_of(id, len(self))
        infos = np.empty((len(rows), self.num_agents), object)
        for place, row in enumerate(rows.tolist()):
            for seat, info in enumerate(self.get_env_attr("final_infos", row)[0]):
                infos[place, seat] = info
        return infos

    def seed(self, seed: int | Sequence[int] | None = None) -> list[int | None]:
        """Use these seeds at the next `reset` of each environment; returns them."""
        self._require_open()
        seeds = seeds_for(seed, len(self))
        for worker, one in zip(self.workers, seeds, strict=True):
            worker.seed(one)
        return seeds

    def render(self) -> list[Any]:
        """Return the rendering of each environment."""
        self._require_open()
        return [worker.render() for worker in self.workers]

    def close(self) -> None:
        """Close every environment; idempotent, and also called on garbage collection."""
        self._finalizer()

    def _rows_of(self, id: Ids) -> NDArray[np.int64]:
        rows = rows_of(id, len(self))
        if len(rows) == 0:
            raise UsageError("id is empty: there is no environment to answer")
        return rows

    def _require_open(self) -> None:
        if self.is_closed:
            raise UsageError("the vector environment is closed")


class DummyVectorEnv(BaseVectorEnv):
    """Environments stepped one after another in this process; an asynchronous step finds them all finished.

    The arguments are those of `BaseVectorEnv`.
    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Any]],
        wait_num: int | None = None,
        timeout: float | None = None,
        norm_obs: bool = False,
        obs_rms: RunningMeanStd | None = None,
        update_obs_rms: bool = True,
        on_failure: OnFailure = "raise",
    ):
        super().__init__(env_fns, DummyEnvWorker, wait_num, timeout, norm_obs, obs_rms, update_obs_rms, on_failure)


def _numbers(obs: Any) -> NDArray[Any]:
    if not isinstance(obs, np.ndarray) or obs.dtype.kind not in "biuf":
        raise UsageError(f"norm_obs normalises observations that are arrays of numbers, not {type(obs).__name__}")
    return obs
