"""Arrays as JSON: what is sent to an agent in a process of its own."""

from base64 import b64decode, b64encode
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch
from games.engine.game import Game


def to_json(seen: Batch) -> dict[str, Any]:
    """The arrays of a flat batch by name, each as its kind, its shape and its bytes."""
    return {name: _packed(np.ascontiguousarray(array)) for name, array in seen.items()}


def from_json(told: dict[str, Any], game: Game) -> Batch:
    """The batch again; records are positions of `game`."""
    return Batch({name: _unpacked(one, game) for name, one in told.items()})


def _packed(array: NDArray[Any]) -> dict[str, Any]:
    kind = "state" if array.dtype.names else array.dtype.str
    return {"dtype": kind, "shape": array.shape, "data": b64encode(array.tobytes()).decode()}


def _unpacked(told: dict[str, Any], game: Game) -> NDArray[Any]:
    dtype = game.state_dtype if told["dtype"] == "state" else np.dtype(told["dtype"])
    return np.frombuffer(b64decode(told["data"]), dtype).reshape(told["shape"]).copy()
