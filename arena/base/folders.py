"""Folders that are written atomically, even if the power fails."""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from arena.base.saving import sync_file, sync_folder


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make `folder` with these files, by name, in place of an older one; see `draft_of_folder`."""
    with draft_of_folder(folder) as draft:
        for name, content in files.items():
            (draft / name).write_bytes(content)


@contextmanager
def draft_of_folder(folder: Path) -> Iterator[Path]:
    """Yield an empty folder, to be filled with files; on leaving it replaces `folder`, unless the block raises.

    A kill at any moment leaves the old or the new folder, whole. If it falls between the two renamings, the old one
    lies under a hidden name until `recover_folder` brings it back.
    """
    new, old = _beside(folder)
    shutil.rmtree(new, ignore_errors=True)  # left by a kill
    new.mkdir(parents=True)
    try:
        yield new
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    for file in new.iterdir():
        sync_file(file)
    sync_folder(new)
    if folder.exists():
        shutil.rmtree(old, ignore_errors=True)
        os.replace(folder, old)
    os.replace(new, folder)
    sync_folder(folder.parent)  # before the old one goes
    shutil.rmtree(old, ignore_errors=True)


def recover_folder(folder: Path) -> None:
    """Bring back the folder that a killed `draft_of_folder` was about to replace; do nothing if `folder` is there."""
    _, old = _beside(folder)
    if old.exists() and not folder.exists():
        os.replace(old, folder)


def surviving_folder(folder: Path) -> Path:
    """Return the path of the files that `recover_folder` would leave in `folder`; nothing is moved."""
    _, old = _beside(folder)
    return old if old.exists() and not folder.exists() else folder


def _beside(folder: Path) -> tuple[Path, Path]:
    """Return the hidden names of the next and of the former content of `folder`."""
    return folder.with_name(f".{folder.name}-new"), folder.with_name(f".{folder.name}-old")
