"""Temporary folders of long-lived processes, of which nothing stays behind, however these end."""

import os
import shutil
import tempfile
import time
import weakref
from contextlib import suppress
from pathlib import Path

from games.engine.file_lock import LOCKS, lock_now

SETTLED_S = 60.0
"""Seconds after which whoever made a folder has locked it."""


class ScratchFolder:
    """A temporary folder, which is removed when it is closed, or forgotten.

    One whose process was killed is removed by the next process that makes one of its kind: nobody has locked it.

    Attributes:
        path: where it is.

    """

    def __init__(self, kind: str):
        prefix = f"arena-{kind}-"
        self.path = Path(tempfile.mkdtemp(prefix=prefix))
        lock = _locked(self.path) if LOCKS else None
        self._remove = weakref.finalize(self, _remove, self.path, lock)
        if LOCKS:
            _remove_forsaken(self.path.parent, prefix)

    def close(self) -> None:
        """Remove the folder."""
        self._remove()


def _locked(folder: Path) -> int:
    """Return a file descriptor of a folder, locked where its file system has locks."""
    file = os.open(folder, os.O_RDONLY)
    with suppress(OSError):
        lock_now(file, exclusive=True)
    return file


def _remove(folder: Path, lock: int | None) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if lock is not None:
        os.close(lock)


def _remove_forsaken(place: Path, prefix: str) -> None:
    """Remove the folders of this user with a prefix that no process has locked."""
    for folder in place.glob(f"{prefix}*"):
        with suppress(OSError):  # somebody else's, or gone meanwhile
            stat = folder.lstat()
            if stat.st_uid != os.getuid() or time.time() - stat.st_mtime < SETTLED_S:
                continue
            file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                lock_now(file, exclusive=True)  # refused while its process lives
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(file)
