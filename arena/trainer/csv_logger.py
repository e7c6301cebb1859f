"""`CSVLogger`: figures in a CSV file, for spreadsheets and data frames."""

import csv
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from arena.base.errors import UsageError
from arena.trainer.logger import SAVED, BaseLogger

COLUMNS = ["step_type", "step", "name", "value"]
BEST = ("best/reward", "best/reward_std")


class CSVLogger(BaseLogger):
    """Writes one line for each figure: `step_type,step,name,value`.

    A line is in the file when a method returns. An existing file is continued; an incomplete last line is dropped.
    Raises `UsageError` if it is another kind of file.

    Args:
        path: the file; its folder is made.
        train_interval: as in `BaseLogger`.
        test_interval: as in `BaseLogger`.
        update_interval: as in `BaseLogger`.
        save_interval: as in `BaseLogger`.

    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        train_interval: int = 1000,
        test_interval: int = 1,
        update_interval: int = 1000,
        save_interval: int = 1,
    ):
        super().__init__(train_interval, test_interval, update_interval, save_interval)
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists() and self.path.stat().st_size:
            self._continue()
        else:
            self._append([COLUMNS])

    def _continue(self) -> None:
        """Check the format of the file, and remove an incomplete last line."""
        with self.path.open("rb+") as file:
            text = file.read()
            if not text.startswith(",".join(COLUMNS).encode() + b"\n"):
                raise UsageError(f"{self.path} is not a log of CSVLogger: its first line is not {','.join(COLUMNS)}")
            file.truncate(text.rindex(b"\n") + 1)

    def write(self, step_type: str, step: int, data: Mapping[str, Any]) -> None:
        """Append figures (for a list or array, its mean)."""
        self._append([[step_type, step, key, float(np.mean(value))] for key, value in data.items()])

    def _log_saved(self, epoch: int, env_step: int, gradient_step: int, saved: Any) -> None:
        counters = (epoch, env_step, gradient_step)
        self._append([[name, count, name, count] for name, count in zip(SAVED, counters, strict=True)])

    def restore_data(self) -> tuple[int, int, int]:
        """Return the counters of the last complete checkpoint entry; zeros if there is none."""
        rows = self._newest(SAVED)
        if rows is None:
            return 0, 0, 0
        epoch, env_step, gradient_step = (int(row["step"]) for row in rows)
        return self._go_on_from(epoch, env_step, gradient_step)

    def restore_best(self) -> tuple[int, float, float] | None:
        """Return the best test that was written completely."""
        rows = self._newest(BEST)
        return None if rows is None else (int(rows[0]["step"]), float(rows[0]["value"]), float(rows[1]["value"]))

    def _newest(self, names: Sequence[str]) -> list[dict[str, str]] | None:
        """Return the last lines of these figures, which are written together; None if there are none."""
        rows: list[dict[str, str]] = []
        whole = None
        with self.path.open(newline="") as file:
            for row in csv.DictReader(file):
                if row["name"] in names:
                    rows = [*rows, row] if row["name"] != names[0] else [row]
                    whole = rows if len(rows) == len(names) else whole
        return whole

    def _append(self, rows: list[list[Any]]) -> None:
        with self.path.open("a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
