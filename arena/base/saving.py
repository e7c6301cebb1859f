"""Files that are written whole or not at all: a reader gets the old or the new one, even after a power failure."""

import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from arena.base.errors import UsageError

DRAFT = re.compile(r"\.\d+-(.+)")
"""Names of drafts: the process that writes, and the file that it will be."""


def free_path(stem: str, suffix: str, folder: Path = Path()) -> Path:
    """Return the first name in a folder that no file has: `stem.svg`, `stem-2.svg`, ..."""
    names = (f"{stem}{f'-{number}' if number > 1 else ''}{suffix}" for number in count(1))
    return next(folder / name for name in names if not (folder / name).exists())


def write_whole(path: Path, write: Callable[[Path], object]) -> Path:
    """Have `write` fill a draft, which then replaces `path`; return `path`.

    For files that a person asked for: raises `UsageError` where the file cannot be written.
    """
    try:
        with draft_of(path) as draft:
            write(draft)
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror or error})".splitlines()[0]) from error
    return path


def replace_text(path: Path, text: str, durable: bool = True) -> None:
    """Write a text in UTF-8 in place of a file; see `draft_of`."""
    with draft_of(path, durable) as draft:
        draft.write_text(text, encoding="utf-8")


@contextmanager
def draft_of(path: Path, durable: bool = True) -> Iterator[Path]:
    """Yield the path of a draft beside `path`, to be filled; on leaving it replaces `path`.

    The draft is removed, and `path` left as it was, where the block raises. Raises `OSError` as the system does.
    A file that is not `durable` changes for all readers at once too, but may be empty after a power failure. This is
    for figures that are written again within seconds, and should not wait for the disk.
    """
    draft = path.with_name(f".{os.getpid()}-{path.name}")
    try:
        yield draft
        if durable:
            # Without this, some file systems put the new name on disk before the content: an empty file is left.
            sync_file(draft)
        os.replace(draft, path)
        if durable:
            sync_folder(path.parent)
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def is_draft(name: str, files: Collection[str] | None = None) -> bool:
    """Return whether a name is that of a draft, of one of these files if they are given."""
    draft = DRAFT.fullmatch(name)
    return draft is not None and (files is None or draft[1] in files)


def remove_drafts(folder: Path, files: Collection[str] | None = None) -> None:
    """Remove drafts (of these files, if they are given) that a killed process left; nobody may be writing there."""
    for file in folder.iterdir():
        if is_draft(file.name, files):
            file.unlink(missing_ok=True)


def sync_file(file: Path) -> None:
    """Wait until the content of a file is on disk."""
    _sync(file, os.O_RDWR)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on disk, where the system and its file system can tell."""
    with suppress(OSError):
        _sync(folder, os.O_RDONLY)


def _sync(path: Path, flags: int) -> None:
    number = os.open(path, flags)
    try:
        os.fsync(number)
    finally:
        os.close(number)
