"""Requests that are refused: a line that says why, and the status that HTTP has for it."""

from collections.abc import Iterator
from contextlib import contextmanager

from arena.base.errors import UsageError

INVALID, UNKNOWN_KEY, FORBIDDEN, MISSING, CONFLICT = 422, 401, 403, 404, 409
TOO_LARGE, OUTDATED, TOO_MANY, CLOSED = 413, 426, 429, 503


class RefusedError(UsageError):
    """A request that is refused; its message is for whoever made it, and names nothing of the server's own."""

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = status


@contextmanager
def passed_on() -> Iterator[None]:
    """Pass a refusal on as it is: a store takes every `UsageError` in its transactions for one of its own."""
    try:
        yield
    except UsageError as error:
        if isinstance(error.__cause__, RefusedError):
            raise error.__cause__ from None
        raise


@contextmanager
def refusing(what: str = "") -> Iterator[None]:
    """Refuse a request for the reasons of the `UsageError`s within, which are about what was sent."""
    try:
        yield
    except RefusedError:
        raise
    except UsageError as error:
        raise RefusedError(INVALID, f"{what}: {error}" if what else str(error)) from error
