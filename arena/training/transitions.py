"""Checks that stored transitions fit a task: its observations, its actions, finite rewards."""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.registration import Spaces


def require_transitions(buffer: ReplayBuffer, task: Spaces, where: str) -> None:
    """Raise `UsageError` if stored transitions do not fit a task.

    That is if observations have another shape or type, if there are actions outside the action space, or if rewards
    are not finite. `where` names the buffer in the message. An empty buffer fits any task.
    """
    if len(buffer) == 0:
        return
    places = buffer.rings.in_time_order()
    one = buffer[places[:1]]  # of whose form all are
    for key in ("obs", "obs_next"):
        _require_observations(one[key], task, f"{where} holds {'next ' * (key != 'obs')}observations")
    _require_actions(buffer.get(places, "act", stack_num=1), task.action, where)
    if not np.isfinite(buffer.get(places, "rew", stack_num=1)).all():
        raise UsageError(f"{where} holds rewards that are not finite")


def _require_observations(obs: Any, task: Spaces, what: str) -> None:
    mask = obs.get("mask") if isinstance(obs, Batch) else None
    values = obs.obs if mask is not None and "obs" in obs else obs
    if isinstance(values, Batch):
        if isinstance(task.observation, spaces.Dict):
            return
        raise UsageError(f"{what} that are not arrays; the task has shape {task.observation.shape}")
    expected = tuple(task.observation.shape or ())
    if not isinstance(values, np.ndarray) or values.shape[1:] != expected:
        raise UsageError(f"{what} of shape {tuple(np.shape(values)[1:])}; the task has {expected}")
    if values.dtype.kind not in "biuf":
        raise UsageError(f"{what} of the type {values.dtype}, which is not numeric")
    masked = task.num_actions if isinstance(task.action, spaces.Discrete) else 0
    if mask is not None and (mask.dtype != np.bool_ or mask.shape != (len(values), masked)):
        raise UsageError(f"{what} whose masks are {mask.dtype} of shape {mask.shape[1:]}, not of {masked}")


def _require_actions(act: Any, space: spaces.Space[Any], where: str) -> None:
    if not isinstance(act, np.ndarray) or act.shape[1:] != tuple(space.shape or ()):
        raise UsageError(f"{where} holds actions whose shape does not fit {space}")
    if isinstance(space, spaces.Discrete):
        inside: NDArray[np.bool_] | bool = act.dtype.kind in "iu"
        inside = inside and (act >= space.start) & (act < space.start + space.n)
    else:
        inside = np.isfinite(act) if act.dtype.kind in "fiu" else False
    if not np.all(inside):
        raise UsageError(f"{where} holds actions outside {space}")
