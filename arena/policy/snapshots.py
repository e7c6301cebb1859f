"""Checkpoint folders and their descriptions, without the weights; needs no torch."""

from pathlib import Path
from typing import Any

from arena.base.errors import CheckpointError
from arena.base.files import read_any_json
from arena.base.typed import FieldError, Hash, field

SNAPSHOT = "snapshot-{:04d}"
"""Name of a checkpoint in the folder of a run, by its number."""
FORMAT = 2
READABLE = 1, FORMAT
"""Formats that can be read; 1 has other names of options (`arena.policy.former_names`)."""
CONFIG = "config.json"
DESCRIBED = {"algorithm": str, "game": str, "options": dict, "config": dict, "sha256": Hash}
"""Required fields of `config.json`."""


def read_config(folder: Path) -> dict[str, Any]:
    """Return the description of a checkpoint; `CheckpointError` if it is missing or cannot be read."""
    file = folder / CONFIG
    if not file.exists():
        raise CheckpointError(f"no checkpoint at {folder}: it has no {CONFIG}")
    description: dict[str, Any] = read_any_json(file)
    if not isinstance(description, dict) or description.get("format") not in READABLE:
        raise CheckpointError(f"{file} is not a checkpoint of format {FORMAT} or older")
    try:
        for key, kind in DESCRIBED.items():
            field(description, key, kind)
    except FieldError as error:
        raise CheckpointError(f"{file} is not the description of a checkpoint: {error}") from None
    return description


def newest_snapshot(folder: Path) -> Path:
    """Return the newest snapshot in a run folder, or `folder` itself if it is a checkpoint."""
    if (folder / CONFIG).exists():
        return folder
    snapshots = sorted(folder.glob(SNAPSHOT.format(0)[:-4] + "[0-9]*"))
    if not snapshots:
        raise CheckpointError(f"no checkpoint at {folder}: no such folder, or no snapshot in it")
    return snapshots[-1]


def count_snapshots(folder: Path) -> int:
    """Return the number of snapshots in a run folder."""
    return sum(1 for _ in folder.glob(SNAPSHOT.format(0)[:-4] + "[0-9]*"))
