"""Error reports: one line for the user and, for bugs of arena itself, the traceback in a log file."""

import contextlib
import errno
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

from arena.base.passwords import without_password
from arena.cli.streams import silence_output
from games.engine.text import message

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.EBADF}
"""Error numbers of output that cannot be written, which are no bugs of arena."""


def complain(text: str) -> None:
    """Print one line on standard error, with unprintable characters escaped; do nothing if it is closed."""
    with contextlib.suppress(OSError, ValueError):
        print(f"arena: {message(text)}", file=sys.stderr, flush=True)


def unwritten(error: OSError) -> int:
    """Print in one line what could not be written, and return the exit status; report other errors as bugs."""
    if error.errno not in FULL:
        return report(error)
    where = error.filename
    if where is None:
        try:
            print(flush=True)  # to find out whether it is the standard output that fails
            where = "a file"
        except (OSError, ValueError):
            where = "the standard output"
            silence_output()
    complain(f"{where} cannot be written ({error.strerror})")
    return 1


def report(error: BaseException) -> int:
    """Print in one line which error occurred and where its log is, and return the exit status."""
    summary = without_password(f"{type(error).__name__}: {error}".splitlines()[0].removesuffix(": "))
    path = _write_log("".join(traceback.format_exception(error)))
    details = "no log could be written" if path is None else f"details are in {path}"
    complain(f"internal error, {summary}; {details}")
    return 1


def _write_log(text: str) -> Path | None:
    """Write a log into the user's state folder or else a temporary one; return its path, or None if both fail."""
    try:
        state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    except RuntimeError:  # the user has no home
        state = Path(tempfile.gettempdir())
    name = f"fault-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
    for folder in (state / "arena", Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(without_password(f"arena {' '.join(sys.argv[1:])}\n\n{text}"), encoding="utf-8")
        except OSError:
            continue
        return folder / name
    return None
