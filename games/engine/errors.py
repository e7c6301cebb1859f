"""What a user can get wrong, as exceptions: one clear line each.

`UsageError` is the root of every error that is the user's to mend; command lines print it without a traceback.
"""

import difflib
from collections.abc import Iterable


class UsageError(ValueError):
    """Something that was given is wrong; the message says what, and what would be right."""


class UnknownNameError(UsageError):
    """A name that nothing is registered under."""

    def __init__(self, noun: str, name: str, known: Iterable[str]):
        """Compose the message from the `noun` (what kind of thing), the `name` given and the `known` ones."""
        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names) or 'none'}"
        super().__init__(f"unknown {noun} {name!r}; {hint}")


class IllegalActionError(UsageError):
    """An action that the rules do not allow; the state is untouched."""


class GameOverError(UsageError):
    """An action in a game that has ended."""
