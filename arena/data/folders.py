"""Folders that are written whole or not at all, whenever the power fails."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make `folder` with these files, replacing an older one.

    A kill at any moment leaves the old or the new, whole; if it fell between the two renamings, `recover_folder` brings
    the old one back.
    """
    new, old = _beside(folder)
    shutil.rmtree(new, ignore_errors=True)  # left by a kill
    new.mkdir(parents=True)
    for name, content in files.items():
        with open(new / name, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    if folder.exists():
        shutil.rmtree(old, ignore_errors=True)
        os.replace(folder, old)
    os.replace(new, folder)
    shutil.rmtree(old, ignore_errors=True)


def recover_folder(folder: Path) -> None:
    """Bring back what was there before a `write_folder` that was killed while it replaced `folder`."""
    _, old = _beside(folder)
    if old.exists() and not folder.exists():
        os.replace(old, folder)


def _beside(folder: Path) -> tuple[Path, Path]:
    """Hidden names for what is to come to `folder` and for what was there."""
    return folder.with_name(f".{folder.name}-new"), folder.with_name(f".{folder.name}-old")
