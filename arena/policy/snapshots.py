"""Where checkpoints lie and what they say of themselves; what is in them is for others to read, torch or not."""

import json
from pathlib import Path
from typing import Any

from arena.errors import CheckpointError

SNAPSHOT = "snapshot-{:04d}"
"""What the checkpoints in the folder of a run are called, by number."""
FORMAT = 1
CONFIG = "config.json"
DESCRIBED = {"algorithm": str, "game": str, "options": dict, "config": dict, "sha256": str}
"""What `config.json` says at least."""


def read_config(folder: Path) -> dict[str, Any]:
    """The description of a checkpoint; `CheckpointError` if there is none that can be read."""
    try:
        description = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CheckpointError(f"no checkpoint at {folder}: it has no {CONFIG}") from None
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{folder / CONFIG} cannot be read: {error}") from None
    if not isinstance(description, dict) or description.get("format") != FORMAT:
        raise CheckpointError(f"{folder / CONFIG} is not a checkpoint of format {FORMAT}")
    for key, kind in DESCRIBED.items():
        if not isinstance(description.get(key), kind):
            raise CheckpointError(f"{folder / CONFIG} does not say what a checkpoint says: {key!r} is missing or wrong")
    return description


def newest_snapshot(folder: Path) -> Path:
    """The newest snapshot in a run folder, or `folder` itself if it is a checkpoint."""
    if (folder / CONFIG).exists():
        return folder
    snapshots = sorted(folder.glob(SNAPSHOT.format(0)[:-4] + "[0-9]*"))
    if not snapshots:
        raise CheckpointError(f"no checkpoint at {folder}: no such folder, or no snapshot in it")
    return snapshots[-1]


def count_snapshots(folder: Path) -> int:
    """How many snapshots a run folder holds."""
    return sum(1 for _ in folder.glob(SNAPSHOT.format(0)[:-4] + "[0-9]*"))
