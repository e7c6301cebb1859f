"""Exceptions that users meet; each message is one clear line that says what is wrong and what would be right."""

from games.engine.errors import GameOverError, IllegalActionError, UnknownNameError, UsageError, foreign_code

__all__ = [
    "CheckpointError",
    "DivergedError",
    "GameOverError",
    "IllegalActionError",
    "UnknownNameError",
    "UsageError",
    "foreign_code",
    "notes_of",
]


class CheckpointError(UsageError):
    """A checkpoint that is missing, broken, or made for something else."""


class DivergedError(UsageError):
    """A training whose weights or losses are no longer finite numbers: nothing can be learned from there on."""


def notes_of(error: BaseException) -> list[str]:
    """Return the notes of an error; Python makes their list with the first of them."""
    return list(getattr(error, "__notes__", ()))
