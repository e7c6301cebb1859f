"""The folder of a run: who may use it, and what is kept in it to go on."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.numpy import load, save

from arena.data.batch import Batch
from arena.data.flat import flatten, unflatten
from arena.data.folders import recover_folder, write_folder
from arena.errors import CheckpointError, UsageError
from arena.policy.snapshots import SNAPSHOT

DESCRIPTION, STATE, FIGURES, ARRAYS = "run.json", "training", "state.json", "arrays.safetensors"
LENGTH = "steps", "snapshots"
"""The options that say how long a run is."""


class RunFolder:
    """A folder with `run.json` (what was asked for), `snapshot-0001`, ..., and `training` (what is needed to go on)."""

    def __init__(self, path: Path):
        self.path = path

    def snapshot(self, number: int) -> Path:
        """The checkpoint of a number, counted from 1."""
        return self.path / SNAPSHOT.format(number)

    def claim(self, asked: Mapping[str, Any], resume: bool) -> dict[str, Any] | None:
        """Make the folder for a run, or find the figures of the state to go on from (None at its very start).

        `asked` describes the run; the one in the folder may be made longer, by steps and snapshots in the same
        proportion. Raises `UsageError` if the folder is in use (without `resume`), or holds no run or another one (with
        it).
        """
        asked = json.loads(json.dumps(asked))  # as it reads from a file: tuples are lists
        file = self.path / DESCRIPTION
        if resume and not file.exists():
            raise UsageError(f"there is no run to resume in {self.path}")
        if resume:
            found = _read_json(file)
            _require_same(found, {key: value for key, value in asked.items() if key != "run"}, self.path)
            longer = _as_long_as(asked, found, self.path)
            _require_same(longer, asked, self.path)
            if longer != found:
                self._describe(longer)
            recover_folder(self.path / STATE)
            saved = self.path / STATE / FIGURES
            return _read_json(saved) if saved.exists() else None
        self.require_free()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{self.path}: no folder for a run can be made here ({error.strerror})") from None
        self._describe(asked)
        return None

    def _describe(self, asked: Mapping[str, Any]) -> None:
        """Write what was asked for, whole or not at all."""
        file = self.path / DESCRIPTION
        whole = file.with_suffix(".tmp")
        whole.write_text(json.dumps(asked, indent=2), encoding="utf-8")
        os.replace(whole, file)

    def require_free(self) -> None:
        """`UsageError` if something is in the folder already."""
        try:
            in_use = self.path.exists() and any(self.path.iterdir())
        except OSError as error:
            raise UsageError(f"{self.path}: no folder for a run can be made here ({error.strerror})") from None
        if in_use:
            raise UsageError(f"{self.path} is in use; go on with --resume, or choose another folder with --out")

    def write_state(self, figures: Mapping[str, Any], arrays: Batch) -> None:
        """Replace the state to go on from, whole or not at all."""
        content = {FIGURES: json.dumps(figures, indent=2).encode(), ARRAYS: save(flatten(arrays))}
        write_folder(self.path / STATE, content)

    def read_arrays(self) -> Batch:
        """The arrays of the state, free to be changed; `CheckpointError` if they are broken."""
        path = self.path / STATE / ARRAYS
        try:
            return unflatten({key: array.copy() for key, array in load(path.read_bytes()).items()})
        except (OSError, SafetensorError) as error:
            raise CheckpointError(f"{path} cannot be read: {error}") from None


def _read_json(path: Path) -> dict[str, Any]:
    """A file that a run has written; `CheckpointError` if it is broken."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path} cannot be read: {error}") from None
    if not isinstance(content, dict):
        raise CheckpointError(f"{path} is not what a run writes")
    return content


def _as_long_as(asked: Mapping[str, Any], found: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The run that was found, made longer if a longer one is asked for.

    `UsageError` if its snapshots would then lie at other distances.
    """
    (steps, snapshots), (more, further) = ([run.get("run", {}).get(key) for key in LENGTH] for run in (found, asked))
    if not all(isinstance(number, int) for number in (steps, snapshots, more, further)) or more <= steps:
        return found
    if more * snapshots != steps * further:
        raise UsageError(
            f"the run in {folder} has snapshots={snapshots} in steps={steps}; it becomes longer by both in the same "
            f"proportion, as steps={2 * steps} and snapshots={2 * snapshots}"
        )
    return found | {"run": found["run"] | dict(zip(LENGTH, (more, further), strict=True))}


def _require_same(found: Mapping[str, Any], asked: Mapping[str, Any], folder: Path, where: str = "") -> None:
    """Refuse to go on with a run under other options."""
    for key, value in asked.items():
        if isinstance(value, dict) and isinstance(found.get(key), dict):
            _require_same(found[key], value, folder, f"{where}{key}.")
        elif found.get(key) != value:
            raise UsageError(f"the run in {folder} has {where}{key}={found.get(key)!r}, not {value!r}")
