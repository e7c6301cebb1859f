"""Time budgets as numbers of steps: with a step count a training can be resumed and repeated exactly."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.training.progress import Progress, TrainingRun

MAX_MEASURING_S = 10.0
"""Seconds for which the speed is measured; a tenth of the budget if that is less."""
ENDLESS = 2**40
"""Number of steps of the training that is measured; it never gets there."""


def steps_within(budget_s: float, make: Callable[[Path, int], TrainingRun]) -> int:
    """Return the number of steps, at least 1, that the training `make(folder, steps)` takes in `budget_s` seconds.

    To measure the speed, a separate training runs for a while in a temporary folder. Its first collection, which
    includes compiling and loading, does not count.
    """
    points = list[tuple[float, int]]()

    def watch(progress: Progress) -> None:
        points.append((time.monotonic(), progress.step))
        if len(points) > 2 and points[-1][0] - points[1][0] > min(MAX_MEASURING_S, budget_s / 10):
            raise _MeasuredError

    with TemporaryDirectory() as folder, suppress(_MeasuredError):
        make(Path(folder, "probe"), ENDLESS).train(watch)
    (start_time, start_step), (end_time, end_step) = points[1], points[-1]
    return max(1, int((end_step - start_step) / (end_time - start_time) * budget_s))


class _MeasuredError(Exception):
    """Ends the measured training once its speed is known."""
