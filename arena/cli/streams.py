"""Standard streams and command-line words: made usable, or refused if they are not text."""

import contextlib
import io
import os
import sys
from collections.abc import Sequence

from games.engine.errors import UsageError


def prepare_streams() -> None:
    """Make the three standard streams usable: closed ones open the null device, unencodable characters become "?".

    A closed stream would leave its file descriptor to the next file that is opened, such as a store.
    """
    with contextlib.suppress(OSError):
        while (file := os.open(os.devnull, os.O_RDWR)) <= 2:
            os.set_inheritable(file, True)
        os.close(file)
    sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  # it is open until the end
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="replace")


def silence_output() -> None:
    """Redirect the standard output to the null device, so that nothing fails at exit either."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def require_text(words: Sequence[str]) -> None:
    """Raise `UsageError` if a word of the command line is not valid text."""
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            escaped = os.fsencode(word).decode(errors="backslashreplace")
            raise UsageError(f"the argument '{escaped}' is not text in UTF-8") from None
