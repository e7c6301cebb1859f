"""What goes through the pipe between a process worker and its process."""

import pickle
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cloudpickle


class Portable:
    """A function that reaches another process even if it is a lambda or a closure."""

    def __init__(self, function: Callable[[], Any]):
        self.function = function

    def __getstate__(self) -> bytes:
        return cloudpickle.dumps(self.function)

    def __setstate__(self, state: bytes) -> None:
        self.function = pickle.loads(state)


@dataclass(frozen=True)
class Done:
    """The answer to a request that went well."""

    value: Any


@dataclass(frozen=True)
class Raised:
    """The answer to a request that raised."""

    error: Exception | None
    """None if it cannot leave its process."""
    text: str
    """Its traceback."""


Answer = Done | Raised


def dumps(message: Any) -> bytes:
    """Bytes of a message; what plain pickle refuses (a class in a function, a lambda) goes the slower way."""
    try:
        return pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    except Exception:  # pickle raises PicklingError, AttributeError or TypeError, as it comes
        return cloudpickle.dumps(message)


def loads(message: bytes) -> Any:
    """The message in the bytes."""
    return pickle.loads(message)


def answer(work: Callable[[], Any]) -> bytes:
    """Do the work; the bytes of `Done` or `Raised`."""
    try:
        return dumps(Done(work()))
    except Exception as error:
        return dumps(Raised(_portable(error), traceback.format_exc()))


def _portable(error: Exception) -> Exception | None:
    """The error itself if it survives the journey: not all can be built again from their arguments."""
    try:
        copy = loads(dumps(error))
    except Exception:
        return None
    return error if type(copy) is type(error) else None
