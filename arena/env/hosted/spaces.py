"""Spaces of somebody else's environment as those of a game: arrays of one shape, actions numbered from 0 or vectors."""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from gymnasium import Space
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete
from gymnasium.spaces.utils import flatten, flatten_space
from numpy.typing import NDArray

from arena.base.errors import UsageError
from games.engine.actions import ActionBox

MOST_ACTIONS = 100_000
"""Largest number of combinations of a `MultiDiscrete` action that are numbered."""


@dataclass(frozen=True)
class Observations:
    """Encoding of observations as arrays of one shape."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    low: Any
    high: Any
    encode: Callable[[Any], NDArray[Any]]
    """Returns the array of one observation."""


@dataclass(frozen=True)
class Actions:
    """Decoding of the actions of a game into those of the environment."""

    count: int
    """Number of actions; 0 where they are continuous."""
    decode: Callable[[Any], Any]
    """Returns the environment's action for a number, or for the entries of a continuous action."""
    box: ActionBox | None = None
    """The continuous actions; None where they are numbered."""


def observations_of(space: Space[Any]) -> Observations:
    """Return how observations of a space become arrays: a box as it is, anything else flattened to single precision.

    Raises `UsageError` for spaces that cannot be flattened, such as text and graphs.
    """
    if isinstance(space, Box):
        return Observations(space.shape, space.dtype, space.low, space.high, np.asarray)
    try:
        flat = flatten_space(space)
    except NotImplementedError:
        flat = None
    if not isinstance(flat, Box):
        raise UsageError(f"observations of {space} have no fixed number of entries")
    single = np.dtype(np.float32)

    def encode(observation: Any) -> NDArray[Any]:
        return np.asarray(flatten(space, observation), single)

    return Observations(flat.shape, single, flat.low, flat.high, encode)


def actions_of(space: Space[Any]) -> Actions:
    """Return how actions of a space are numbered, or those of a box flattened to vectors.

    Raises `UsageError` for very many actions, and for boxes without finite bounds.
    """
    if isinstance(space, Discrete):
        start = int(space.start)
        return Actions(int(space.n), lambda number: start + number)
    if isinstance(space, MultiDiscrete | MultiBinary):
        sizes = np.full(space.shape, 2) if isinstance(space, MultiBinary) else space.nvec
        shape = tuple(sizes.reshape(-1).tolist())
        if prod(shape) > MOST_ACTIONS:
            raise UsageError(f"actions of {space} are {prod(shape):,} combinations, more than {MOST_ACTIONS:,}")
        return Actions(
            prod(shape), lambda number: np.array(np.unravel_index(number, shape), np.int64).reshape(sizes.shape)
        )
    if not isinstance(space, Box):
        raise UsageError(f"actions of {space} are neither numbered nor vectors of real numbers")
    if space.dtype.kind != "f":
        raise UsageError(
            f"actions of {space} are whole numbers in a Box; a MultiDiscrete says how many there are of each"
        )
    if not np.isfinite([space.low, space.high]).all():
        raise UsageError(f"actions of {space} have no finite bounds, from which an agent could choose")
    low, high = space.low, space.high
    return Actions(
        0,
        lambda entries: np.array(entries, space.dtype).reshape(space.shape),
        ActionBox(low.reshape(-1).astype(np.float32), high.reshape(-1).astype(np.float32)),
    )
