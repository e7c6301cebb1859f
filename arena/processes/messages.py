"""Messages between processes of ours: pickled values, and errors in place of results."""

import pickle
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cloudpickle

from arena.base.errors import UsageError, notes_of


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
    """Return the message in these bytes, which come from a process of ours."""
    return pickle.loads(message)


def attempt(work: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of the work, or `Raised`."""
    try:
        return work(*arguments)
    except Exception as error:
        return Raised(_portable(error), traceback.format_exc())


def sendable(answer: Any) -> Any:
    """Return the answer if it can be pickled, else the `Raised` of the attempt."""
    refusal = attempt(dumps, answer)
    return refusal if isinstance(refusal, Raised) else answer


def pack(answer: Any) -> bytes:
    """Return the bytes of an answer, or those of a `Raised` if it cannot be pickled."""
    packed = attempt(dumps, answer)
    return packed if isinstance(packed, bytes) else dumps(packed)


def _portable(error: Exception) -> Exception | None:
    """Return the error if it can be pickled and restored; not all can be rebuilt from their arguments.

    In place of a `UsageError` that cannot, return a plain one: its message is for the user.
    """
    try:
        if type(loads(dumps(error))) is type(error):
            return error
    except Exception:  # the class may raise anything
        pass
    if not isinstance(error, UsageError):
        return None
    plain = UsageError(str(error))
    for note in notes_of(error):
        plain.add_note(note)
    return plain
