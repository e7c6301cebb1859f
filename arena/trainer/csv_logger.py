"""`CSVLogger`: figures as a table that spreadsheets and data frames read."""

import csv
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from arena.errors import UsageError
from arena.trainer.logger import BaseLogger, SaveCheckpoint

COLUMNS = ["step_type", "step", "name", "value"]
SAVED = ("save/epoch", "save/env_step", "save/gradient_step")


class CSVLogger(BaseLogger):
    """Writes one line a figure: `step_type,step,name,value`.

    A line is in the file when a method returns. A file that is there is continued, its last line dropped if writing it
    was interrupted; `UsageError` if it is something else.

    Args:
        path: the file; its folder is made.
        train_interval: as in `BaseLogger`.
        test_interval: as in `BaseLogger`.
        update_interval: as in `BaseLogger`.
        save_interval: epochs between two checkpoints.

    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        train_interval: int = 1000,
        test_interval: int = 1,
        update_interval: int = 1000,
        save_interval: int = 1,
    ):
        super().__init__(train_interval, test_interval, update_interval)
        self.path = Path(path)
        self.save_interval = save_interval
        self._last_save = -save_interval
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists() and self.path.stat().st_size:
            self._continue()
        else:
            self._append([COLUMNS])

    def _continue(self) -> None:
        """Check that the file is ours, and cut off half a line at its end."""
        with self.path.open("rb+") as file:
            text = file.read()
            if not text.startswith(",".join(COLUMNS).encode() + b"\n"):
                raise UsageError(f"{self.path} is not a log of ours: its first line is not {','.join(COLUMNS)}")
            file.truncate(text.rindex(b"\n") + 1)

    def write(self, step_type: str, step: int, data: Mapping[str, Any]) -> None:
        """Append figures (of a list or array the mean)."""
        self._append([[step_type, step, key, float(np.mean(value))] for key, value in data.items()])

    def save_data(
        self, epoch: int, env_step: int, gradient_step: int, save_checkpoint_fn: SaveCheckpoint | None = None
    ) -> None:
        """Save a checkpoint if `save_interval` epochs have passed, and log the counters."""
        if save_checkpoint_fn is not None and epoch - self._last_save >= self.save_interval:
            self._last_save = epoch
            save_checkpoint_fn(epoch, env_step, gradient_step)
            counters = (epoch, env_step, gradient_step)
            self._append([[name, count, name, count] for name, count in zip(SAVED, counters, strict=True)])

    def restore_data(self) -> tuple[int, int, int]:
        """The counters of the last checkpoint that were written whole; zeros where there is none."""
        found: list[int] = []
        whole = (0, 0, 0)
        with self.path.open(newline="") as file:
            for row in csv.DictReader(file):
                if row["name"] in SAVED:
                    found = [*found, int(row["step"])] if row["name"] != SAVED[0] else [int(row["step"])]
                    whole = (found[0], found[1], found[2]) if len(found) == len(SAVED) else whole
        epoch, env_step, gradient_step = whole
        self._last_save = epoch if epoch else -self.save_interval
        self._last.update(train=env_step, test=env_step, update=gradient_step)
        return whole

    def _append(self, rows: list[list[Any]]) -> None:
        with self.path.open("a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
