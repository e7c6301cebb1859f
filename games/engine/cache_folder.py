"""The folder that keeps compiled kernels, where nobody else can put one that would be run."""

import atexit
import os
import shutil
import stat
import sys
import tempfile
from functools import cache
from pathlib import Path


class UnsafeError(OSError):
    """A folder where other users may add or replace files; the message names it and says why."""


@cache
def cache_directory() -> Path:
    """Return the folder of compiled kernels, below `ARENA_CACHE` or the user's cache folder.

    Code from there is executed, so only this user and root may be able to write to it or to a folder above it (one with
    the sticky bit, like /tmp, is safe). Otherwise, or if the folder is not writable, one line goes to standard error,
    and kernels are kept in a private temporary folder for the lifetime of this process and of its children.
    """
    try:
        return _usable(_cache_home() / "kernels")
    except (OSError, RuntimeError) as error:  # RuntimeError: the user has no home
        folder = Path(tempfile.mkdtemp(prefix="arena-kernels-"))
        atexit.register(_remove, folder, os.getpid())
        os.environ["ARENA_CACHE"] = str(folder)
        why = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.strerror else str(error)
        message = (
            f"arena: compiled kernels are kept for this process alone ({why}); ARENA_CACHE may name another folder"
        )
        print("".join(c if c.isprintable() else "?" for c in message), file=sys.stderr)
        return _usable(folder / "kernels")


def _usable(folder: Path) -> Path:
    """Return the folder, created if needed; `OSError` if it is not writable, or writable by others."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = folder.resolve()
    if os.name == "posix":
        require_private(folder)
    tempfile.TemporaryFile(dir=folder).close()
    return folder


def require_private(folder: Path) -> None:
    """Raise `UnsafeError` if others than this user and root may write to a folder, or exchange it or one above it.

    In a folder above it with the sticky bit others may write, but neither rename nor remove what is not theirs.
    """
    for place in (folder, *folder.parents):
        status = place.stat()
        if status.st_uid not in (0, os.geteuid()):
            raise UnsafeError(f"{place} belongs to another user")
        shared = status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and not _own_group(status.st_gid))
        if shared and (place == folder or not status.st_mode & stat.S_ISVTX):
            raise UnsafeError(f"others may write to {place}")


def _own_group(group: int) -> bool:
    """Return whether a group is root's, or private to this user (many systems create one for each user)."""
    import grp
    import pwd

    if group == 0:
        return True
    try:
        user, user_group = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return user.pw_gid == group and user_group.gr_name == user.pw_name and set(user_group.gr_mem) <= {user.pw_name}


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # a fork of it lets the folder be
        shutil.rmtree(folder, ignore_errors=True)


def _cache_home() -> Path:
    if "ARENA_CACHE" in os.environ:
        return Path(os.environ["ARENA_CACHE"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "arena"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "arena"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "arena"
