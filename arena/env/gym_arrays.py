"""Observations and infos of some environments, written into Gymnasium's batched arrays."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import Space, spaces
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.data.batch import Batch

Ints = NDArray[np.int64]


def placed(space: Space[Any], shown: Any, obs: Any, rows: Ints) -> Any:
    """Return `shown`, the observations of all environments, with `obs` [R, ...] in place of those of `rows` [R].

    Arrays of `shown` are written in place, in their own dtype. `space` is that of one environment. Raises `UsageError`
    for an observation of another shape.
    """
    if isinstance(space, spaces.Dict):
        return {key: placed(sub, shown[key], _part(obs, key), rows) for key, sub in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(placed(sub, shown[i], _part(obs, i), rows) for i, sub in enumerate(space.spaces))
    if not isinstance(shown, np.ndarray):  # texts, graphs and spaces of somebody's own
        items = list(shown) if shown is not None else [None] * (int(rows.max()) + 1)
        for row, one in zip(rows, obs, strict=True):
            items[row] = one
        return tuple(items)
    array = np.stack([np.asarray(one) for one in obs]) if isinstance(obs, list) or obs.dtype == object else obs
    if array.shape[1:] != shown.shape[1:]:
        raise UsageError(f"an observation has shape {array.shape[1:]}, its space {shown.shape[1:]}")
    shown[rows] = array.astype(shown.dtype, casting="same_kind", copy=False)
    return shown


def single(space: Space[Any], obs: Any, place: int) -> Any:
    """Return the observation at `place` of `obs` [R, ...] in the form of a single environment."""
    if isinstance(space, spaces.Dict):
        return {key: single(sub, _part(obs, key), place) for key, sub in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(single(sub, _part(obs, i), place) for i, sub in enumerate(space.spaces))
    return obs[place]


def spread(infos: dict[str, Any], given: Mapping[str, Any], rows: Ints, num_envs: int) -> dict[str, Any]:
    """Write `given`, arrays [R, ...] by key, into the `infos` of all environments, with a mask `_key` [B] for each."""
    for key, value in given.items():
        if isinstance(value, Mapping):
            infos[key] = spread(infos.get(key, {}), value, rows, num_envs)
        else:
            if key not in infos:
                nothing = None if value.dtype == object else 0
                infos[key] = np.full((num_envs, *value.shape[1:]), nothing, value.dtype)
            infos[key][rows] = value
        infos.setdefault(f"_{key}", np.zeros(num_envs, np.bool_))[rows] = True
    return infos


def _part(obs: Batch | NDArray[Any] | Sequence[Any], key: Any) -> Any:
    """Return one entry of dictionaries or tuples of R environments, [R, ...]: an array, a Batch, or a list."""
    if isinstance(obs, Batch):
        return obs[key]
    if isinstance(obs, np.ndarray) and obs.dtype != object:
        return obs[:, key]
    return [one[key] for one in obs]
