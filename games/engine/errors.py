"""Exceptions for mistakes of the user, with a message of one line each.

`UsageError` is their base class; command lines print it without a traceback.
"""

import difflib
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class UsageError(ValueError):
    """Wrong input; the message names it and says what is expected."""


class UnknownNameError(UsageError):
    """A name that nothing is registered under."""

    def __init__(self, noun: str, name: str, known: Iterable[str]):
        """Compose the message from the `noun` (what kind of thing), the `name` given and the `known` ones."""
        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names) or 'none'}"
        super().__init__(f"unknown {noun} {name!r}; {hint}")


class DescriptionError(UsageError):
    """A description of a game that contradicts itself, or lacks what its traits need."""


class ContractError(UsageError):
    """A game that breaks the contract of games while it is played."""


class IllegalActionError(UsageError):
    """An action that the rules do not allow; the state is untouched."""


class GameOverError(UsageError):
    """An action in a game that has ended."""


def in_a_line(error: Exception) -> str:
    """Return the kind and the text of an error without line breaks, `ImportError: no module named x`."""
    return " ".join(f"{type(error).__name__}: {error}".split())


@contextmanager
def foreign_code(doing: str) -> Iterator[None]:
    """Raise what somebody else's code raises as a `UsageError` of one line, `doing: ImportError: ...`.

    Its traceback is a note. A `UsageError` of its own passes.
    """
    try:
        yield
    except UsageError:
        raise
    except Exception as error:
        raise foreign_fault(doing, error) from error


def foreign_fault(doing: str, error: Exception) -> UsageError:
    """Return what `foreign_code` raises for an error, where a context at every call would take too long."""
    fault = UsageError(f"{doing}: {in_a_line(error)}")
    fault.add_note("".join(traceback.format_exception(error)))
    return fault
