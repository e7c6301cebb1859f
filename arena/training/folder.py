"""`RunFolder`: the folder of a run, its description, and the saved state to resume from."""

import dataclasses
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from arena.base.errors import CheckpointError, UsageError
from arena.base.files import LARGE, read_json
from arena.base.folders import draft_of_folder, recover_folder, surviving_folder
from arena.base.saving import remove_drafts, replace_text
from arena.base.tensors import Check, read_arrays, write_arrays
from arena.base.text import printable
from arena.base.typed import shown
from arena.data.batch import Batch
from arena.data.flat import flatten, unflatten
from arena.policy.former_names import read_options
from arena.policy.snapshots import SNAPSHOT
from arena.training.live_files import LIVE, WRITTEN, require_idle
from arena.training.options import DESCRIPTION, RESOURCES
from arena.training.origin import origin
from arena.training.settings import SETTINGS, settings_text

STATE, FIGURES, ARRAYS = "training", "state.json", "arrays.safetensors"
HASH = "sha256"
"""Key in the figures of a state: the hash of its arrays."""
LENGTH = "steps", "snapshots"
"""Options that set the length of a run."""
ORIGIN = "origin"
"""Key in `run.json` of what the run comes from; it makes no difference to the result."""
DIVERGED = "diverged.txt"
"""File that marks a run that has diverged."""
STABILIZING = "learning_rate", "max_grad_norm"
"""Settings of an algorithm that may change when a diverged run is resumed."""


class RunFolder:
    """A folder with `run.json` (the options), `snapshot-0001`, ..., and `training` (the state to resume from).

    Args:
        path: the folder.
        config: class of the algorithm's config, for runs that were written when its options had other names.

    """

    def __init__(self, path: Path, config: type | None = None):
        self.path, self._config = path, config
        self._state = path / STATE
        self._sha256: str | None = None  # of the arrays of the state; None for runs written before there were hashes
        self._claimed: dict[str, Any] | None = None  # contents of run.json that `confirm` writes: new or made longer

    def snapshot(self, number: int) -> Path:
        """Return the folder of a snapshot; numbers start at 1."""
        return self.path / SNAPSHOT.format(number)

    def extra_checkpoint(self, step: int) -> Path:
        """Return the folder of a checkpoint that is written on request, after so many steps."""
        return self.path / f"step-{step:011d}"

    def claim(self, description: Mapping[str, Any], resume: bool) -> dict[str, Any] | None:
        """Return the figures of the saved state of a resumed run; None if it has none, or the run is new.

        `description` is what `run.json` holds. A resumed run may be made longer, with steps and snapshots in the same
        proportion; one that has diverged may get other values of the settings `STABILIZING`; what it uses of the
        machine (`RESOURCES`) may always change. Nothing is written before `confirm`.

        Raises `UsageError` if the folder is in use (without `resume`), or if it holds no run or another one (with
        `resume`).
        """
        description = json.loads(json.dumps(description))  # as it reads from a file: tuples are lists
        if resume:
            return self._saved_figures(description)
        self.require_free()
        self._claimed = {**description, ORIGIN: origin(_torch_threads())}
        return None

    def _saved_figures(self, requested: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the figures of the saved state, after checking that the run is the requested one."""
        file = self.path / DESCRIPTION
        if not file.exists():
            raise UsageError(f"there is no run to resume in {self.path}")
        require_no_links(self.path)
        require_idle(self.path)
        written = read_json(file)
        saved = self._in_current_names(written)
        if self._diverged.exists() and isinstance(saved.get("config"), dict):
            changed = {key: requested["config"][key] for key in STABILIZING if key in requested["config"]}
            saved = saved | {"config": saved["config"] | changed}
        fixed = {key: value for key, value in requested.items() if key != RESOURCES}
        _require_same(saved, {key: value for key, value in fixed.items() if key != "run"}, self.path)
        extended = _extended_to(requested, saved, self.path)
        _require_same(extended, fixed, self.path)
        extended |= {key: value for key, value in requested.items() if key == RESOURCES}
        self._claimed = None if extended == written else extended
        self._state = surviving_folder(self.path / STATE)
        figures = self._state / FIGURES
        state = read_json(figures, LARGE) if figures.exists() else None
        self._sha256 = None if state is None else state.get(HASH)
        return state

    def _in_current_names(self, description: dict[str, Any]) -> dict[str, Any]:
        """Return the contents of `run.json` with all options of the algorithm by the names that they have now."""
        if self._config is not None and "config" in description:
            with suppress(UsageError):  # a config that is none is refused by its differences
                config: Any = read_options(self._config, description["config"])
                return description | {"config": json.loads(json.dumps(dataclasses.asdict(config)))}
        return description

    def confirm(self) -> None:
        """Make the folder of a new run, or make the changes of a resumed one permanent, once its state is loaded.

        Raises `UsageError` if no folder can be made.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{self.path}: a folder for a run cannot be made here ({error.strerror})") from None
        remove_drafts(self.path)
        recover_folder(self.path / STATE)
        self._state = self.path / STATE
        self._diverged.unlink(missing_ok=True)
        if self._claimed is not None:
            self._describe(self._claimed)
            self._claimed = None

    @property
    def _diverged(self) -> Path:
        return self.path / DIVERGED

    def note_divergence(self, error: str) -> None:
        """Mark the run as diverged: it may then be resumed with other values of the settings `STABILIZING`."""
        self._diverged.write_text(f"{error}\n", encoding="utf-8")

    def _describe(self, description: Mapping[str, Any]) -> None:
        """Write `run.json` atomically; and the settings of a training as a file that can be given to another."""
        replace_text(self.path / DESCRIPTION, json.dumps(description, indent=2))
        if "algorithm" in description:
            replace_text(self.path / SETTINGS, settings_text(description))

    def require_free(self) -> None:
        """Raise `UsageError` if the folder is not empty, with what it holds."""
        try:
            in_use = self.path.exists() and any(self.path.iterdir())
        except OSError as error:
            raise UsageError(f"{self.path}: a folder for a run cannot be made here ({error.strerror})") from None
        if not in_use:
            return
        if not (self.path / DESCRIPTION).exists():
            raise UsageError(f"{self.path} is not empty and holds no run; choose another folder with --out")
        require_idle(self.path)
        raise UsageError(
            f"{self.path} holds a run already; resume it or make it longer with --resume, or choose another folder "
            "with --out"
        )

    def write_state(self, figures: Mapping[str, Any], arrays: Batch) -> None:
        """Replace the saved state atomically."""
        with draft_of_folder(self.path / STATE) as draft:
            hashed = {**figures, HASH: write_arrays(draft / ARRAYS, flatten(arrays))}
            (draft / FIGURES).write_text(json.dumps(hashed, indent=2), encoding="utf-8")

    def read_arrays(self, check: Check | None = None) -> Batch:
        """Return the arrays of the state; raise `CheckpointError` if they are broken or `check` refuses."""
        path = self._state / ARRAYS
        arrays, sha256 = read_arrays(path, check)
        if self._sha256 not in (None, sha256):
            raise CheckpointError(f"{path} has changed: its hash differs from that in {FIGURES}")
        return unflatten(arrays)

    @contextmanager
    def as_checkpoint_errors(self) -> Iterator[None]:
        """Raise a `CheckpointError` in place of any error from loading a state that does not fit this run."""
        try:
            yield
        except CheckpointError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RuntimeError) as error:
            problem = printable(error) if isinstance(error, UsageError) else repr(error)
            raise CheckpointError(f"{self._state} does not fit this run: {problem}") from None


def _torch_threads() -> int:
    """Return the number of threads that torch computes on; 0 where it is not loaded."""
    torch = sys.modules.get("torch")
    return 0 if torch is None else int(torch.get_num_threads())


def require_no_links(folder: Path) -> None:
    """Raise `UsageError` if parts of a run are links or not regular files: writing would reach places outside it."""
    for part in (folder / STATE, folder / LIVE, *(folder / LIVE / name for name in WRITTEN)):
        if part.is_symlink():
            raise UsageError(f"{part} is a link: the parts of a run must lie in its own folder")
        if part.name in WRITTEN and part.exists() and not part.is_file():
            raise UsageError(f"{part} is not a regular file")


def _extended_to(requested: Mapping[str, Any], saved: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the saved description, with the requested length if that is longer.

    Raises `UsageError` if the distance between snapshots would change.
    """
    if not isinstance(saved.get("run", {}), dict):
        raise CheckpointError(f"{folder / DESCRIPTION} is not the description of a run: run is not an object")
    lengths = [[run.get("run", {}).get(key) for key in LENGTH] for run in (saved, requested)]
    (steps, snapshots), (new_steps, new_snapshots) = lengths
    if not all(isinstance(number, int) for length in lengths for number in length) or new_steps <= steps:
        return saved
    if new_steps * snapshots != steps * new_snapshots:
        raise UsageError(
            f"the run in {folder} has snapshots={snapshots} in steps={steps}; to make it longer, raise both in the "
            f"same proportion, as steps={2 * steps} and snapshots={2 * snapshots}"
        )
    return saved | {"run": saved["run"] | dict(zip(LENGTH, (new_steps, new_snapshots), strict=True))}


def _require_same(saved: Mapping[str, Any], requested: Mapping[str, Any], folder: Path, where: str = "") -> None:
    """Raise `UsageError` if a run would be resumed with other options."""
    for key, value in requested.items():
        if isinstance(value, dict) and isinstance(saved.get(key, {}), dict):
            _require_same(saved.get(key, {}), value, folder, f"{key}." if key == "options" else "")
        elif saved.get(key) != value:
            stored = f"the run in {folder} has {where}{key}={shown(saved.get(key))}"
            raise UsageError(f"{where}{key}={shown(value)} cannot change: {stored}")
