"""Calls of a `preprocess_fn`: its arguments, and the entries that it may replace."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.collector.transitions import Outcome
from arena.data.batch import Batch
from arena.data.infos import columns, one_by_one

PreprocessFn = Callable[..., Batch | Mapping[str, Any] | None]
"""Called with keywords; returns the entries to replace, an empty `Batch` or None for none."""

STEP_KEYS = ("obs_next", "rew", "terminated", "truncated", "done", "act", "info", "policy", "env_id")
REPLACEABLE = frozenset(STEP_KEYS) - {"done", "env_id"}


def preprocess_reset(fn: PreprocessFn, obs: Any, env_ids: NDArray[np.int64]) -> Any:
    """Return the first observations [n, ...] of episodes after `fn`, which is called with `obs` and `env_id`."""
    return _entries(fn(obs=obs, env_id=env_ids), {"obs", "env_id"}, "at a reset", len(env_ids)).get("obs", obs)


def preprocess_step(fn: PreprocessFn, step: Mapping[str, Any]) -> dict[str, Any]:
    """Return a step's entries (those of `STEP_KEYS` but `done`, n rows each) after `fn`.

    `UsageError` for a key that is no part of a step, for entries of another length, and for a `done` that contradicts
    `terminated` and `truncated`, which it follows from.
    """
    arguments = dict(step) | {"done": step["terminated"] | step["truncated"]}
    given = _entries(fn(**arguments), set(STEP_KEYS), "after a step", len(step["env_id"]))
    result = dict(step) | {key: given[key] for key in given.keys() & REPLACEABLE}
    if not isinstance(result["info"], Batch):
        result["info"] = Batch(result["info"])
    for key, kind in (("rew", np.float64), ("terminated", np.bool_), ("truncated", np.bool_)):
        result[key] = np.asarray(result[key], kind)
        if result[key].shape != step[key].shape:
            raise UsageError(f"preprocess_fn gave {key} of shape {result[key].shape}, not {step[key].shape}")
    if "done" in given and not np.array_equal(given["done"], result["terminated"] | result["truncated"]):
        raise UsageError("preprocess_fn gave a done that is not terminated | truncated: give one of those instead")
    return result


def last_infos(infos: list[dict[str, Any]], step: Outcome, rows: NDArray[np.int64]) -> Batch:
    """Return the last infos of these rows of a step, as a `preprocess_fn` changed them.

    Its changes apply to all seats if the step ended the episode of all of them, otherwise to the seat that acts next.
    """
    each = [{} for _ in rows] if step.info_replaced or not infos else infos
    if step.info.__dict__:
        over: NDArray[np.bool_] = np.all(step.terminated | step.truncated, axis=1)
        given = one_by_one(step.info)
        each = [info | (given[row] if over[row] else {}) for info, row in zip(each, rows.tolist(), strict=True)]
    return columns(each)


def _entries(given: Any, known: set[str], when: str, count: int) -> dict[str, Any]:
    """Return the given entries by key; `UsageError` unless keys are known and each has a row per environment."""
    if given is None:
        return {}
    if not isinstance(given, Batch | Mapping):
        raise UsageError(f"preprocess_fn gives a Batch or a dict, not {type(given).__name__}")
    entries = dict(Batch(given).items())
    if unknown := sorted(entries.keys() - known):
        raise UsageError(f"preprocess_fn gave {', '.join(unknown)}; {when} it may give {', '.join(sorted(known))}")
    for key, value in entries.items():
        if isinstance(value, Batch) and value.is_empty(recurse=True):
            continue
        if not isinstance(value, Batch) and np.ndim(value) == 0:
            raise UsageError(f"preprocess_fn gave one {key}, not one per environment")
        if len(value) != count:
            raise UsageError(f"preprocess_fn gave {len(value)} rows of {key} for {count} environments")
    return entries
