"""Arrays as JSON, for messages to an agent in a process of its own."""

from base64 import b64decode, b64encode
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch
from games.engine.game import Game


def to_json(obs: Batch) -> dict[str, Any]:
    """Return the arrays of a flat batch by name, each as dtype, shape and base64 of its bytes."""
    return {name: _packed(np.ascontiguousarray(array)) for name, array in obs.items()}


def from_json(packed: dict[str, Any], game: Game) -> Batch:
    """Return the batch from its JSON; record arrays are states of `game`."""
    return Batch({name: _unpacked(one, game) for name, one in packed.items()})


def _packed(array: NDArray[Any]) -> dict[str, Any]:
    kind = "state" if array.dtype.names else array.dtype.str
    return {"dtype": kind, "shape": array.shape, "data": b64encode(array.tobytes()).decode()}


def _unpacked(packed: dict[str, Any], game: Game) -> NDArray[Any]:
    dtype = game.state_dtype if packed["dtype"] == "state" else np.dtype(packed["dtype"])
    return np.frombuffer(b64decode(packed["data"]), dtype).reshape(packed["shape"]).copy()
