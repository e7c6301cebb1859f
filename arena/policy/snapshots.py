"""Checkpoint folders and their descriptions, without the weights; needs no torch."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.base.errors import CheckpointError
from arena.base.files import read_any_json
from arena.base.typed import FieldError, Hash, as_type, field

SNAPSHOT = "snapshot-{:04d}"
"""Name of a checkpoint in the folder of a run, by its number."""
VERSIONED = re.compile(r"(.+)@([0-9a-f]{8,64})")
"""A run or a checkpoint, and the hash of the weights that are meant."""
FORMAT = 2
READABLE = 1, FORMAT
"""Formats that can be read; 1 has other names of options (`arena.policy.former_names`)."""
CONFIG = "config.json"
RETURN = "return"
"""Name of the mean return among the scores of a snapshot, where nobody wins: it alone tells snapshots apart."""
BEST, LATEST = "best", "latest"
"""Names of snapshots behind the folder of a run, as in `ppo:runs/c4/best`."""
DESCRIBED = {"algorithm": str, "game": str, "options": dict, "config": dict, "sha256": Hash}
"""Required fields of `config.json`."""


def read_config(folder: Path) -> dict[str, Any]:
    """Return the description of a checkpoint; `CheckpointError` if it is missing or cannot be read."""
    file = folder / CONFIG
    if not file.exists():
        raise CheckpointError(f"no checkpoint at {folder}: it has no {CONFIG}")
    return as_config(read_any_json(file), str(file))


def as_config(description: Any, where: str) -> dict[str, Any]:
    """Return JSON as the description of a checkpoint; `CheckpointError` that names `where` if it is none."""
    if not isinstance(description, dict) or description.get("format") not in READABLE:
        raise CheckpointError(f"{where} is not a checkpoint of format {FORMAT} or older")
    try:
        for key, kind in DESCRIBED.items():
            field(description, key, kind)
    except FieldError as error:
        raise CheckpointError(f"{where} is not the description of a checkpoint: {error}") from None
    return description


def find_snapshot(folder: Path) -> Path:
    """Return the checkpoint that a path names: the folder of one, or a run, which stands for its newest snapshot.

    `RUN/latest` is the newest snapshot of a run as well, `RUN/best` the one that was evaluated best; see
    `best_snapshot`. `RUN@HASH` is the snapshot whose weights have that hash, which may be cut short. Raises
    `CheckpointError` if there is none.
    """
    if (folder / CONFIG).exists():
        return folder
    if (version := VERSIONED.fullmatch(str(folder))) is not None and not folder.exists():
        return _with_weights(Path(version[1]), version[2])
    if folder.name == BEST and not folder.is_dir():
        return best_snapshot(folder.parent)
    run = folder.parent if folder.name == LATEST and not folder.is_dir() else folder
    if not (snapshots := snapshots_in(run)):
        raise CheckpointError(f"no checkpoint at {folder}: no such folder, or no snapshot in it")
    return snapshots[-1]


def names_snapshot(path: Path) -> bool:
    """Return whether a path may name a checkpoint in one of the ways that `find_snapshot` knows."""
    return path.is_dir() or path.name in (BEST, LATEST) or VERSIONED.fullmatch(str(path)) is not None


def _with_weights(run: Path, digest: str) -> Path:
    for folder in [run] if (run / CONFIG).exists() else reversed(snapshots_in(run)):
        if read_config(folder)["sha256"].startswith(digest):
            return folder
    raise CheckpointError(f"no snapshot in {run} has weights of the hash {digest}")


def best_snapshot(run: Path) -> Path:
    """Return the snapshot of a run with the highest evaluation: its return, or the mean of its scores.

    Of equal ones it is the newest. Raises `CheckpointError` if none was evaluated.
    """
    scores = {}
    for folder in snapshots_in(run):
        evaluation = as_type(read_config(folder).get("evaluation", {}), Mapping[str, float], "evaluation")
        if evaluation:
            scores[folder] = evaluation.get(RETURN, sum(evaluation.values()) / len(evaluation))
    if not scores:
        raise CheckpointError(f"no snapshot in {run} was evaluated, so that none is the best")
    return max(scores, key=lambda folder: (scores[folder], folder.name))


def snapshots_in(run: Path) -> list[Path]:
    """Return the snapshots in a run folder, oldest first."""
    return sorted(run.glob(SNAPSHOT.format(0)[:-4] + "[0-9]*"))


def count_snapshots(folder: Path) -> int:
    """Return the number of snapshots in a run folder."""
    return len(snapshots_in(folder))
