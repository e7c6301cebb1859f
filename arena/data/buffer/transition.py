"""Transitions: the reserved keys, and the rows of a batch that has them."""

import numpy as np

from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.data.buffer.options import BufferOptions

RESERVED = ("obs", "act", "rew", "terminated", "truncated", "done", "obs_next", "info", "policy")
"""Keys of a transition, of the Tianshou manual."""

_KNOWN = frozenset(RESERVED)
_NOTHING = Batch()


def normalised(rows: Batch, count: int, options: BufferOptions) -> Batch:
    """`count` rows with exactly the reserved keys that are to be stored: flags as booleans, `done` derived from two.

    Arrays are kept by reference. `UsageError` for keys that are missing or unknown.
    """
    given = rows.__dict__
    try:
        obs, act, rew = given["obs"], given["act"], given["rew"]
    except KeyError as missing:
        raise UsageError(f"a transition needs the keys 'obs', 'act' and 'rew'; {missing} is missing") from None
    if not given.keys() <= _KNOWN:
        unknown = sorted(given.keys() - _KNOWN)
        raise UsageError(f"a transition has no keys {unknown}: its keys are {', '.join(RESERVED)}")
    if "terminated" not in given and "done" not in given:
        raise UsageError("a transition needs the key 'terminated' (and 'truncated'), or 'done'")
    truncated = given.get("truncated")
    truncated = np.zeros(count, np.bool_) if truncated is None else np.asarray(truncated, np.bool_)
    terminated = given.get("terminated")
    if terminated is None:
        terminated = np.asarray(given["done"], np.bool_) & ~truncated
    obs_next = given.get("obs_next")
    if options.save_only_last_obs:
        obs, obs_next = obs[:, -1], None if obs_next is None else obs_next[:, -1]
    kept = Batch()
    fields = kept.__dict__  # these are values of a Batch already: no need to convert them a second time
    fields["obs"], fields["act"], fields["rew"] = obs, act, np.asarray(rew, np.float64)
    fields["terminated"], fields["truncated"] = np.asarray(terminated, np.bool_), truncated
    if obs_next is not None and not options.ignore_obs_next:
        fields["obs_next"] = obs_next
    for key in ("info", "policy"):
        value = given.get(key)
        fields[key] = _NOTHING if value is None else value
    return kept
