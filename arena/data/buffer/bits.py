"""Booleans of observations as bits: how a buffer stores them, and how they are read."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.data.batch import Batch

Shapes = dict[str, Any]
"""Shapes of rows [*k] that are stored as bits, by key; of nested batches a dictionary of the same kind."""
OBSERVATIONS = ("obs", "obs_next")


def packed(rows: Batch, shapes: Shapes) -> tuple[Batch, Shapes]:
    """Return rows whose observations' booleans [n, *k] are bits, uint8 [n, m], and the shapes that belong to them.

    Raises `UsageError` for booleans of other shapes than the known ones.
    """
    known: Shapes = {key: _copied(shape) for key, shape in shapes.items()}
    changed = {key: _packed(rows.__dict__[key], key, known, key) for key in OBSERVATIONS if key in rows.__dict__}
    return Batch(rows, **changed), known


def unpacked(rows: Batch, shapes: Shapes) -> Batch:
    """Return rows whose observations are what they were before they were packed."""
    changed = {key: widened(rows.__dict__[key], shape) for key, shape in shapes.items() if key in rows.__dict__}
    return Batch(rows, **changed)


def widened(value: Any, shape: Any) -> Any:
    """Return stored observations [..., m] as the booleans [..., *k] that they stand for, of the given shapes."""
    if isinstance(value, Batch):
        result = Batch()
        result.__dict__.update({key: widened(part, shape.get(key, {})) for key, part in value.__dict__.items()})
        return result
    if not isinstance(shape, tuple):
        return value
    return np.unpackbits(value, axis=-1, count=math.prod(shape)).view(np.bool_).reshape(*value.shape[:-1], *shape)


def as_arrays(shapes: Shapes) -> Batch:
    """Return shapes as arrays, as they are saved."""
    return Batch(
        {key: np.array(part) if isinstance(part, tuple) else as_arrays(part) for key, part in shapes.items() if part}
    )


def from_arrays(arrays: Batch, storage: Batch) -> Shapes:
    """Return the shapes that `as_arrays` returned; `UsageError` if they do not fit what is stored."""
    shapes: Shapes = {}
    for key, part in arrays.items():
        stored = storage.get(key)
        if isinstance(part, Batch) and isinstance(stored, Batch):
            shapes[key] = from_arrays(part, stored)
            continue
        named = isinstance(part, np.ndarray) and part.dtype == np.int64 and part.ndim == 1
        sizes: tuple[int, ...] = tuple(part.tolist()) if named else (0,)
        width = (math.ceil(math.prod(sizes) / 8),)
        fits = isinstance(stored, np.ndarray) and stored.dtype == np.uint8 and stored.shape[1:] == width
        if not fits or min(sizes, default=1) < 1:
            raise UsageError(f"counters and arrays do not fit each other: {key} holds no bits of the shape it names")
        shapes[key] = sizes
    return shapes


def _packed(value: Any, key: str, shapes: Shapes, path: str) -> Any:
    if isinstance(value, Batch):
        inner = shapes.setdefault(key, {})
        if not isinstance(inner, dict):
            raise UsageError(f"{path} is a Batch here and an array in what is stored")
        result = Batch()
        result.__dict__.update({name: _packed(part, name, inner, f"{path}.{name}") for name, part in value.items()})
        return result
    if not isinstance(value, np.ndarray) or value.dtype != np.bool_ or value.ndim < 2 or value.size == 0:
        return value
    bits: NDArray[np.uint8] = np.packbits(value.reshape(len(value), -1), axis=1)
    known = shapes.setdefault(key, value.shape[1:])
    if known != value.shape[1:]:
        raise UsageError(f"{path} has shape {value.shape}, not {(len(value), *known)}")
    return bits


def _copied(shape: Any) -> Any:
    return {key: _copied(part) for key, part in shape.items()} if isinstance(shape, dict) else shape
