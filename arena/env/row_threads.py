"""`RowThreads`: threads that share the rows of a call of compiled code."""

import weakref
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from time import perf_counter

from arena.base.cores import usable_cores
from games.engine.row_sharing import POLLS, new_gate, polls_per_s

LONG_S = 2e-4
"""Duration in seconds from which a call wakes helpers, which takes an eighth of that."""
SHORT_S, SOON_S = 8e-6, 1e-4
"""The same if the call finds the helpers awake, who wait for it for `SOON_S` at least."""
PATIENCE, LONGEST_S = 8, 2e-3
"""Where calls come that soon, helpers wait up to so many times as long as a call lasts, and not longer than that."""

Work = Callable[[int, int], None]
"""Calls compiled code as one of the threads (0 leads), with the number of the call: see `games.engine.row_sharing`."""


class RowThreads:
    """Shares calls of compiled code, which release Python's lock, with helper threads.

    Helpers wait actively for another call for a moment before they sleep, since waking them takes longer than many
    calls: the longer, the longer calls last, unless the latest came too late for that. A call does not wait for helpers
    that come too late. There are at most as many threads as cores: one that is suspended in the middle of a row delays
    the others.

    Args:
        count: how many threads, this one included, may share a call.

    """

    def __init__(self, count: int):
        count = min(count, usable_cores())
        self.gate = new_gate(count)
        self._helpers = [_Helper(thread) for thread in range(1, count)]
        self._calls, self._row_s, self._ended, self._wait_s = 0, float("inf"), 0.0, SOON_S
        weakref.finalize(self, _dismiss, self._helpers)

    def share(self, work: Work, rows: int) -> None:
        """Call `work` for this number of rows, shared with available helpers; return when all rows are done."""
        self._calls += 1
        if not self._helpers:
            work(0, self._calls)
            return
        start, expected_s = perf_counter(), rows * self._row_s
        gap_s, patience_s = start - self._ended, min(PATIENCE * expected_s, LONGEST_S)
        awake = gap_s < self._wait_s
        helpers = self._helpers if expected_s >= LONG_S or (awake and expected_s >= SHORT_S) else ()
        self._wait_s = max(patience_s, SOON_S) if gap_s < patience_s else SOON_S
        self.gate[POLLS, 0] = polls_per_s() * self._wait_s
        for helper in helpers:
            helper.ask(work, self._calls)
        work(0, self._calls)
        for helper in helpers:
            helper.forget()
        self._ended = perf_counter()
        if rows:  # others may have held this thread up: the quickest call counts, but not for ever
            self._row_s = min((self._ended - start) / rows, 2 * self._row_s)


class _Helper:
    """A thread that joins calls if it is in time."""

    def __init__(self, thread: int):
        self._thread = thread
        self._call: tuple[Work, int] | None = None
        self._bell: SimpleQueue[bool] = SimpleQueue()  # True: there is a call; False: end
        self._asleep, self._started = True, False

    def ask(self, work: Work, call: int) -> None:
        """Ask the thread to join a call."""
        self._call = work, call
        if not self._started:
            self._started = True
            Thread(target=self._serve, name="games", daemon=True).start()
        if self._asleep:
            self._asleep = False
            self._bell.put(True)

    def forget(self) -> None:
        """Drop the reference to a finished call."""
        self._call = None

    def dismiss(self) -> None:
        """End the thread."""
        self._bell.put(False)

    def _serve(self) -> None:
        done = 0
        while self._bell.get():
            while (job := self._call) is not None and job[1] > done:
                done = job[1]
                job[0](self._thread, done)  # comes back when there is another call, or none for a while
            job = None  # what it refers to is its owner's alone now
            # A call that is put between the last look and this line rings no bell: it is done without this thread.
            self._asleep = True


def _dismiss(helpers: list[_Helper]) -> None:
    for helper in helpers:
        helper.dismiss()
