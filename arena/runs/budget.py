"""A budget of time as a number of steps, which decides what a training does, on any day and however it is resumed."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.runs.run import Progress, Run

LONGEST_S = 10.0
"""The speed is measured for so many seconds; of short budgets, for a tenth."""
ENDLESS = 2**40


def steps_within(budget_s: float, make: Callable[[Path, int], Run]) -> int:
    """Steps that `make(folder, steps)` trains on in so many seconds, at least 1.

    A training of its own is begun to find out, in a folder that is gone afterwards; its first collection, before which
    much is compiled and loaded, does not count.
    """
    reached = list[tuple[float, int]]()

    def watch(progress: Progress) -> None:
        reached.append((time.monotonic(), progress.step))
        if len(reached) > 2 and reached[-1][0] - reached[1][0] > min(LONGEST_S, budget_s / 10):
            raise _MeasuredError

    with TemporaryDirectory() as folder, suppress(_MeasuredError):
        make(Path(folder, "probe"), ENDLESS).train(watch)
    (then, first), (now, last) = reached[1], reached[-1]
    return max(1, int((last - first) / (now - then) * budget_s))


class _MeasuredError(Exception):
    """Ends a training whose speed is known."""
