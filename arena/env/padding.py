"""Common spaces for agents with different ones: smaller values are padded with zeros at the end.

Where there is none, as for a picture and a vector, `arena.env.spaces` flattens what is seen and numbers the actions.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import Space
from gymnasium.spaces import Box, Dict, Discrete, Tuple
from gymnasium.spaces.utils import flatdim
from numpy.typing import NDArray


def common_space(spaces: Sequence[Space[Any]]) -> Space[Any] | None:
    """Return a space that can hold the values of each of `spaces`; the first if all are equal, None if there is none.

    Boxes of as many axes get the longest of each, `Discrete`s the largest number, dictionaries of the same keys and
    tuples of one length take their parts one by one.
    """
    first = spaces[0]
    if all(_size(space) == _size(first) for space in spaces):
        return first
    return _union(spaces) if all(_alike(space, first) for space in spaces) else None


def places_in(common: Space[Any], own: Space[Any]) -> NDArray[np.int64]:
    """Return where the entries of a flattened value of `own` lie in that of the common space, [n]."""
    if isinstance(common, Dict | Tuple):
        assert isinstance(own, Dict | Tuple)
        parts, own_parts = _parts(common), _parts(own)
        starts = np.cumsum([0, *map(flatdim, parts)]).tolist()
        pairs = zip(starts, parts, own_parts, strict=False)
        return np.concatenate([start + places_in(part, own_part) for start, part, own_part in pairs])
    numbers = np.arange(flatdim(common))
    if isinstance(common, Box) and isinstance(own, Box):
        return numbers.reshape(common.shape)[tuple(map(slice, own.shape))].reshape(-1)
    return numbers[: flatdim(own)]


def _parts(space: Dict[Any] | Tuple[Any]) -> list[Space[Any]]:
    """Return the parts of a space in the order in which it is flattened."""
    return list(space.values() if isinstance(space, Dict) else space.spaces)


def fits(space: Space[Any], common: Space[Any]) -> bool:
    """Return whether entries of a space are entries of the common one as they are."""
    return bool(_size(space) == _size(common))


def _size(space: Space[Any]) -> Any:
    """Return a key that is equal for spaces of equal size."""
    if isinstance(space, Dict | Tuple):
        parts = space.spaces.items() if isinstance(space, Dict) else enumerate(space.spaces)
        return type(space), tuple((key, _size(part)) for key, part in parts)
    bounds = (space.low.tobytes(), space.high.tobytes()) if isinstance(space, Box) else ()
    return type(space), space.shape, space.n if isinstance(space, Discrete) else None, *bounds


def _alike(space: Space[Any], other: Space[Any]) -> bool:
    """Return whether two spaces can be padded to a common one."""
    if isinstance(space, Dict) and isinstance(other, Dict):
        return space.keys() == other.keys() and all(_alike(part, other[key]) for key, part in space.items())
    if isinstance(space, Tuple) and isinstance(other, Tuple):
        return len(space) == len(other) and all(map(_alike, space.spaces, other.spaces))
    if isinstance(space, Box) and isinstance(other, Box):
        return len(space.shape) == len(other.shape)
    if isinstance(space, Discrete) and isinstance(other, Discrete):
        return bool(space.start == other.start)
    return _size(space) == _size(other)


def _union(spaces: Sequence[Any]) -> Space[Any]:
    """Return the common space of compatible spaces."""
    first = spaces[0]
    if isinstance(first, Dict):
        return Dict({key: _union([space[key] for space in spaces]) for key in first.spaces})
    if isinstance(first, Tuple):
        return Tuple([_union(parts) for parts in zip(*(space.spaces for space in spaces), strict=True)])
    if isinstance(first, Discrete):
        return Discrete(max(int(space.n) for space in spaces), start=int(first.start))
    if isinstance(first, Box):
        shape = tuple(np.max([space.shape for space in spaces], axis=0).tolist())
        low = np.min([_filled(space.low, shape) for space in spaces], axis=0)
        high = np.max([_filled(space.high, shape) for space in spaces], axis=0)
        dtype: Any = np.result_type(*[space.dtype for space in spaces])
        return Box(low.astype(dtype), high.astype(dtype), shape, dtype)
    return first


def padded(obs: Any, space: Space[Any]) -> Any:
    """Return an agent's observation as an entry of the common space."""
    if isinstance(space, Dict):
        return {key: padded(obs[key], part) for key, part in space.items()}
    if isinstance(space, Tuple):
        return tuple(padded(one, part) for one, part in zip(obs, space.spaces, strict=True))
    array = np.asarray(obs)
    return _filled(array.astype(space.dtype), space.shape) if isinstance(space, Box) else array


def _filled(array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return an array padded with zeros."""
    if array.shape == shape:
        return array
    result = np.zeros(shape, array.dtype)
    result[tuple(map(slice, array.shape))] = array
    return result
