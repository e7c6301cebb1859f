"""Files that others may have written or put in place: opened only if they are regular, and read only so far."""

import errno
import json
import os
import stat
from collections.abc import Mapping
from io import FileIO
from pathlib import Path
from typing import Any

from arena.base.errors import CheckpointError, UsageError

CHUNK = 2**16
"""Bytes read at a time beyond the size that a file reports."""
TEXT = 2**30
"""Bytes of the largest text that is read: games by the million."""
SMALL, LARGE = 2**20, 2**26
"""Bytes of the largest description (1 MiB), and of the largest record of a league or a game (64 MiB)."""
DEPTH = 50
"""Maximum depth of nested lists and objects in JSON."""
PLAIN = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
"""Flags of `os.open`: not inherited by child processes, and not blocking on a pipe."""
UNFOLLOWED = PLAIN | getattr(os, "O_NOFOLLOW", 0)


def open_regular(path: str | os.PathLike[str], flags: int = os.O_RDONLY, follow: bool = False) -> FileIO:
    """Open a regular file, unbuffered as `flags` of `os.open` say; `OSError` for a folder, a device or a pipe.

    A link is refused as well unless `follow`: files of a run are read and written where they lie, and a link among
    them would lead what is written into another file.
    """
    number = os.open(path, flags | (PLAIN if follow else UNFOLLOWED), 0o666)
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError(errno.EINVAL, "Not a regular file", os.fspath(path))
        access = flags & (os.O_RDONLY | os.O_WRONLY | os.O_RDWR)
        return FileIO(number, {os.O_RDONLY: "rb", os.O_WRONLY: "wb", os.O_RDWR: "r+b"}[access])
    except BaseException:
        os.close(number)
        raise


def require_working_folder() -> None:
    """Raise `UsageError` if the working folder was deleted: no relative path leads anywhere then."""
    try:
        os.getcwd()
    except FileNotFoundError:
        raise UsageError("the working folder was deleted; change to one that exists") from None


def read_bytes(path: str | os.PathLike[str], most: int, follow: bool = False) -> bytes:
    """Return the content of a regular file of at most `most` bytes; `OSError` if it cannot be read, or is larger."""
    with open_regular(path, follow=follow) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise OSError(errno.EFBIG, f"{size:,} bytes are more than {most:,}", os.fspath(path))
        content = b""
        # Room is made for what is asked for: for the file, not for the most that it may hold. One read brings it all,
        # but for files that others write to.
        while len(content) <= most and (part := file.read(size + CHUNK)):
            content = content + part if content else part
        if len(content) > most:
            raise OSError(errno.EFBIG, f"more than {most:,} bytes", os.fspath(path))
        return content


def read_text(path: Path, most: int = TEXT) -> str:
    """Return the text of a file that a person named, which may be a link; `UsageError` if it is no such file.

    A mark of byte order is left out, ends of lines stay as they are.
    """
    try:
        return read_bytes(path, most, follow=True).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {reason(error)}") from None


def read_json(path: Path, most: int = SMALL) -> dict[str, Any]:
    """Return the object in a file of JSON; `CheckpointError` of one line if it cannot be read; see `parse_json`."""
    content = read_any_json(path, most)
    if not isinstance(content, dict):
        raise CheckpointError(f"{path} cannot be read: it is not a JSON object")
    return content


def read_any_json(path: Path, most: int = SMALL) -> Any:
    """Return the value in a JSON file, an object or not; `CheckpointError` if it cannot be read."""
    try:
        return parse_json(read_bytes(path, most))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path} cannot be read: {reason(error)}") from None


def parse_json(text: str | bytes, depth: int = DEPTH, finite: bool = True) -> Any:
    """Parse JSON more strictly than Python; `ValueError` for malformed text and in the cases below.

    Refused are duplicate keys, nesting deeper than `depth` and, if `finite`, NaN and infinities.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8")
    numbers: dict[str, Any] = {"parse_constant": _refused, "parse_float": _finite} if finite else {}
    try:
        content = json.loads(text, object_pairs_hook=_unique, **numbers)
    except RecursionError:
        raise ValueError("lists and objects are nested too deeply") from None
    level = [content]
    for _ in range(depth + 1):
        level = [part for one in level if isinstance(one, dict | list) for part in _parts(one)]
        if not level:
            return content
    raise ValueError("lists and objects are nested too deeply")


def reason(error: BaseException) -> str:
    """Return in a few words why a file cannot be read."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not text in UTF-8"
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return "it is a link to another file"
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def _parts(content: dict[str, Any] | list[Any]) -> list[Any]:
    return list(content.values()) if isinstance(content, dict) else content


def _unique(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    """The object of these pairs."""
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} is given twice")
    return mapping


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is no number")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{text[:20]} is too large a number")
    return number
