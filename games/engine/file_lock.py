"""Locks that processes share through a file; a lock ends with the process that holds it, however it ends."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

try:
    import fcntl
except ImportError:  # Windows: nothing is locked there
    fcntl = None  # type: ignore[assignment]

LOCKS = fcntl is not None
"""True if files can be locked on this system."""
POLL_S = 0.01
"""Seconds between two attempts to get a lock that another process has."""


@contextmanager
def file_lock(path: str, patience_s: float) -> Iterator[None]:
    """Run a block while no other process runs one with the same file, waiting for them up to `patience_s` seconds.

    Where the file cannot be locked, or others take longer, the block runs all the same: this saves work that would be
    done twice, and is nothing to rely on. The file, which is empty, stays.
    """
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError:
        yield
        return
    try:
        _wait_for(file, patience_s)
        yield
    finally:
        if fcntl is not None:
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_UN)  # a child that was forked meanwhile may have the file open
        os.close(file)


def lock_now(file: int | IO[bytes], exclusive: bool) -> None:
    """Lock an open file until it is closed, alone or with others that are not `exclusive`.

    Raises `BlockingIOError` if another process has locked it, `OSError` if its file system has no locks.
    """
    if fcntl is not None:
        fcntl.flock(file, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)


def _wait_for(file: int, patience_s: float) -> None:
    """Lock an open file if that can be done in so many seconds."""
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        try:
            return lock_now(file, exclusive=True)
        except BlockingIOError:
            time.sleep(POLL_S)
        except OSError:  # a file system without locks
            return
