"""Messages between a worker and the host of its environment in another process."""

import pickle
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import cloudpickle
import numpy as np
from numpy.typing import NDArray

Request = tuple[int, str, Sequence[Any]]
"""Request: number of the environment in its host, name of the method, and its arguments."""

Column = list[Any] | tuple[str, tuple[int, ...], bytearray]
"""One value per row; or type, shape and bytes of an array, which pickle writes six times as fast as the array."""


class Portable:
    """A function that reaches another process even if it is a lambda or a closure."""

    def __init__(self, function: Callable[[], Any]):
        self.function = function

    def __getstate__(self) -> bytes:
        return cloudpickle.dumps(self.function)

    def __setstate__(self, state: bytes) -> None:
        self.function = pickle.loads(state)


@dataclass(frozen=True)
class Raised:
    """The answer to a request that raised an error."""

    error: Exception | None
    """The error; None if it cannot be pickled."""
    text: str
    """Its traceback."""


def dumps(message: Any) -> bytes:
    """Return the bytes of a message; objects that pickle refuses (local classes, lambdas) take a slower path."""
    try:
        return pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    except Exception:  # pickle raises PicklingError, AttributeError or TypeError, as it comes
        return cloudpickle.dumps(message)


def loads(message: bytes) -> Any:
    """Return the message in these bytes."""
    return pickle.loads(message)


def attempt(work: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of the work, or `Raised`."""
    try:
        return work(*arguments)
    except Exception as error:
        return Raised(_portable(error), traceback.format_exc())


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
        return dumps([_sendable(answer) for answer in answers])


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


def _sendable(answer: Any) -> Any:
    refusal = attempt(dumps, answer)
    return refusal if isinstance(refusal, Raised) else answer


def _portable(error: Exception) -> Exception | None:
    """Return the error if it can be pickled and restored; not all can be rebuilt from their arguments."""
    try:
        copy = loads(dumps(error))
    except Exception:
        return None
    return error if type(copy) is type(error) else None
