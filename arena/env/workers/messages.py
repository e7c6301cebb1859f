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
"""One value a row; or type, shape and bytes of an array: pickle writes these six times as fast as the array itself."""


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
    """The answer to a request that raised; what it returned is the answer to any other."""

    error: Exception | None
    """None if it cannot leave its process."""
    text: str
    """Its traceback."""


def dumps(message: Any) -> bytes:
    """Bytes of a message; what plain pickle refuses (a class in a function, a lambda) goes the slower way."""
    try:
        return pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    except Exception:  # pickle raises PicklingError, AttributeError or TypeError, as it comes
        return cloudpickle.dumps(message)


def loads(message: bytes) -> Any:
    """The message in the bytes."""
    return pickle.loads(message)


def attempt(work: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of the work, or `Raised`."""
    try:
        return work(*arguments)
    except Exception as error:
        return Raised(_portable(error), traceback.format_exc())


def pack_requests(requests: Sequence[Request]) -> bytes:
    """The bytes of a message; several steps go as columns (a tuple), which are far quicker to write down than rows."""
    if not _are_steps(requests):
        return dumps(list(requests))
    return dumps(([slot for slot, _, _ in requests], _column([action for _, _, (action,) in requests])))


def unpack_requests(message: bytes) -> list[Request]:
    """The message in the bytes."""
    requests = loads(message)
    if isinstance(requests, list):
        return requests
    slots, actions = requests
    return [(slot, "step", (action,)) for slot, action in zip(slots, _values(actions), strict=True)]


def pack_answers(requests: Sequence[Request], answers: list[Any]) -> bytes:
    """The bytes of answers; one that cannot leave its process becomes `Raised`."""
    columns = _are_steps(requests) and Raised not in map(type, answers)
    try:
        return dumps(tuple(map(_column, zip(*answers, strict=True))) if columns else answers)
    except Exception:
        return dumps([_sendable(answer) for answer in answers])


def unpack_answers(message: bytes) -> list[Any]:
    """The answers in the bytes."""
    answers = loads(message)
    return answers if isinstance(answers, list) else list(zip(*map(_values, answers), strict=True))


def _are_steps(requests: Sequence[Request]) -> bool:
    return len(requests) > 1 and all([name == "step" for _, name, _ in requests])


def _column(values: Sequence[Any]) -> Column:
    """NumPy numbers of one type, or arrays of them of one shape, as one array; anything else as it is."""
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
    """One value a row."""
    if isinstance(column, list):
        return column
    dtype, shape, content = column
    return np.ndarray(shape, dtype, content)


def _sendable(answer: Any) -> Any:
    refusal = attempt(dumps, answer)
    return refusal if isinstance(refusal, Raised) else answer


def _portable(error: Exception) -> Exception | None:
    """The error itself if it survives the journey: not all can be built again from their arguments."""
    try:
        copy = loads(dumps(error))
    except Exception:
        return None
    return error if type(copy) is type(error) else None
