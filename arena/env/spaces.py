"""Spaces of somebody else's environment as those of a game: arrays of one shape, actions numbered from 0 or vectors."""

from collections.abc import Callable, Sequence
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

    return Observations(flat.shape, single, flat.low.astype(single), flat.high.astype(single), encode)


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


def flat_observations(spaces: Sequence[Space[Any]]) -> tuple[Box, list[Callable[[Any], NDArray[Any]]]]:
    """Return a space of vectors for agents without a common one, and what makes one of each agent's observations.

    What an agent sees is flattened; shorter vectors are padded with zeros. Raises `UsageError` as `observations_of`.
    """
    each = [observations_of(space) for space in spaces]
    size = max(prod(own.shape) for own in each)
    dtype: Any = np.result_type(*[own.dtype for own in each])

    def filled(entries: Any) -> NDArray[Any]:
        flat = np.zeros(size, dtype)
        flat[: np.size(entries)] = np.reshape(entries, -1)
        return flat

    def encoder(own: Observations) -> Callable[[Any], NDArray[Any]]:
        return lambda observation: filled(own.encode(observation))

    low = np.min([filled(np.broadcast_to(own.low, own.shape)) for own in each], axis=0)
    high = np.max([filled(np.broadcast_to(own.high, own.shape)) for own in each], axis=0)
    return Box(low, high, (size,), dtype), [encoder(own) for own in each]


def shared_actions(spaces: Sequence[Space[Any]]) -> tuple[Space[Any], list[Actions]]:
    """Return a space for the actions of agents without a common one, and how each agent's are decoded.

    If all are numbered, it is that of the most numbers. If some are continuous, it is one of vectors: those of a
    numbered action begin with the number; shorter ones are padded with zeros. Raises `UsageError` as `actions_of`.
    """
    each = [actions_of(space) for space in spaces]
    if all(own.box is None for own in each):
        return Discrete(max(own.count for own in each)), each
    lows = [np.zeros(1) if own.box is None else own.box.low for own in each]
    highs = [np.array([own.count - 1.0]) if own.box is None else own.box.high for own in each]
    size = max(map(len, lows))
    low, high = (np.stack([np.append(end, np.zeros(size - len(end))) for end in ends]) for ends in (lows, highs))
    return Box(low.min(axis=0).astype(np.float32), high.max(axis=0).astype(np.float32)), each
