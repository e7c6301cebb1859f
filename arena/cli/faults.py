"""Faults of our own: one line for the person, and the whole story in a file for who is to mend it."""

import os
import sys
import tempfile
import time
import traceback
from pathlib import Path


def report(error: BaseException) -> int:
    """Say in one line what went wrong and where the details are; returns the exit status."""
    said = f"{type(error).__name__}: {error}".splitlines()[0].removesuffix(": ")
    path = _write("".join(traceback.format_exception(error)))
    details = "no log could be written" if path is None else f"details are in {path}"
    print(f"arena: a fault of its own, {said}; {details}", file=sys.stderr)
    return 1


def _write(text: str) -> Path | None:
    """Write a log into the user's folder for such things, or a temporary one; None where neither takes it."""
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    name = f"fault-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
    for folder in (state / "arena", Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(f"arena {' '.join(sys.argv[1:])}\n\n{text}", encoding="utf-8")
        except OSError:
            continue
        return folder / name
    return None
