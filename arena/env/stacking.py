"""Stacking of results of several environments, one row each."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.data import leaves
from arena.data.batch import Batch


def stack_observations(observations: Sequence[Any], name_of: Callable[[int], str]) -> Any:
    """Stack observations of R environments to [R, ...]: a `Batch` of dictionaries, or objects if not numeric.

    Tuples of one shape throughout become arrays as well. `UsageError` with the name (`name_of` row i) of the
    environment whose observation does not fit the first one's.
    """
    try:
        return _stacked(observations)
    except ValueError as error:  # a UsageError of Batch is one, too
        shapes = [_shape(obs) for obs in observations]
        odd = next((i for i, shape in enumerate(shapes) if shape != shapes[0]), None)
        if odd is None:
            raise
        raise UsageError(
            f"{name_of(odd)} returned an observation of shape {shapes[odd]}; that of {name_of(0)} has {shapes[0]}"
        ) from error


def _stacked(observations: Sequence[Any]) -> Any:
    first = observations[0]
    kind = type(first)
    if kind is np.ndarray and first.dtype.kind in "biuf":
        stacked = np.array(observations)  # the common case: a fifth of what `leaves.stack` takes
        if stacked.dtype == first.dtype and stacked.shape[1:] == first.shape:
            return stacked
    if kind is dict and all([type(obs) is dict and obs.keys() == first.keys() for obs in observations]):
        return Batch({key: _stacked([obs[key] for obs in observations]) for key in first})
    if isinstance(first, dict | Batch):
        return Batch.stack([Batch(obs) for obs in observations])
    if isinstance(first, tuple) and not _is_regular(first):
        return as_objects(observations)
    return leaves.stack([np.asarray(obs) for obs in observations], 0)


def as_objects(values: Sequence[Any]) -> NDArray[Any]:
    """Return an object array [R] of any values."""
    array = np.empty(len(values), object)
    for row, value in enumerate(values):
        array[row] = value
    return array


def _is_regular(obs: tuple[Any, ...]) -> bool:
    if any(isinstance(part, dict) for part in obs):
        return False
    try:
        np.asarray(obs)
    except ValueError:
        return False
    return True


def _shape(obs: Any) -> Any:
    if isinstance(obs, dict | Batch):
        return {key: _shape(value) for key, value in obs.items()}
    if isinstance(obs, tuple):
        return tuple(_shape(value) for value in obs)
    return np.shape(obs)
