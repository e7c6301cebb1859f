"""Files for people: under a name that is free, and whole or not at all."""

import os
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

from arena.errors import UsageError


def free_path(stem: str, suffix: str, folder: Path = Path()) -> Path:
    """A name in a folder that no file has yet: `stem.svg`, `stem-2.svg`, ..."""
    names = (f"{stem}{f'-{number}' if number > 1 else ''}{suffix}" for number in count(1))
    return next(folder / name for name in names if not (folder / name).exists())


def write_whole(path: Path, write: Callable[[Path], object]) -> Path:
    """Have `write` fill a file of another name, which becomes `path` then; `UsageError` if that cannot be."""
    draft = path.with_name(f".{os.getpid()}-{path.name}")
    try:
        write(draft)
        draft.replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror or error})") from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    return path
