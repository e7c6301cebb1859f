"""Messages between a worker and the host of its environment in another process."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.processes.messages import Raised, dumps, loads, sendable

Request = tuple[int, str, Sequence[Any]]
"""Request: number of the environment in its host, name of the method, and its arguments."""

Column = list[Any] | tuple[str, tuple[int, ...], bytearray]
"""One value per row; or type, shape and bytes of an array, which pickle writes six times as fast as the array."""


def pack_requests(requests: Sequence[Request]) -> bytes:
    """Return the bytes of a message; several steps are written as columns (a tuple), which is much faster."""
    if not _are_steps(requests):
        return dumps(list(requests))
    return dumps(([slot for slot, _, _ in requests], _column([action for _, _, (action,) in requests])))


def unpack_requests(message: bytes) -> list[Request]:
    """Return the message in these bytes."""
    requests = loads(message)
    if isinstance(requests, list):
        return requests
    slots, actions = requests
    return [(slot, "step", (action,)) for slot, action in zip(slots, _values(actions), strict=True)]


def pack_answers(requests: Sequence[Request], answers: list[Any]) -> bytes:
    """Return the bytes of answers; one that cannot be pickled becomes `Raised`."""
    columns = _are_steps(requests) and Raised not in map(type, answers)
    try:
        return dumps(tuple(map(_column, zip(*answers, strict=True))) if columns else answers)
    except Exception:
        return dumps([sendable(answer) for answer in answers])


def unpack_answers(message: bytes) -> list[Any]:
    """Return the answers in these bytes."""
    answers = loads(message)
    return answers if isinstance(answers, list) else list(zip(*map(_values, answers), strict=True))


def _are_steps(requests: Sequence[Request]) -> bool:
    return len(requests) > 1 and all([name == "step" for _, name, _ in requests])


def _column(values: Sequence[Any]) -> Column:
    """Return numbers of one NumPy type, or arrays of one shape and type, as one array; anything else unchanged."""
    first = values[0]
    if not isinstance(first, np.generic | np.ndarray) or first.dtype.kind not in "biufc":
        return list(values)
    # a row of an array of numbers is a NumPy scalar: an array without dimensions would not come back as one
    if isinstance(first, np.ndarray) and (type(first) is not np.ndarray or not first.shape):
        return list(values)
    if len(set(map(type, values))) > 1 or len({(value.dtype, value.shape) for value in values}) > 1:
        return list(values)
    array = np.array(values, first.dtype)
    return array.dtype.str, array.shape, bytearray(array)


def _values(column: Column) -> Sequence[Any] | NDArray[Any]:
    """Return the value of each row."""
    if isinstance(column, list):
        return column
    dtype, shape, content = column
    return np.ndarray(shape, dtype, content)
