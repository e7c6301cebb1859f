"""`RowThreads`: compiled kernels over rows of a batch, in several threads."""

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread
from time import perf_counter

LEAST_PART_S = 2e-4
"""Seconds of work that another thread is woken for: waking it takes an eighth of that, where cores are shared half."""

Work = Callable[[int, slice], None]
"""Does the part k of some rows."""


class RowThreads:
    """Does work on parts of a batch side by side; kernels let go of Python's lock.

    The threads wait between two calls. (A pool of the standard library takes half as long again to hand work over.
    Threads that turn in a loop instead of waiting would be woken at once, but where the cores have other work they cost
    milliseconds.) So work that is done before another thread is awake stays in this one: how long a row takes is known
    from the calls before.

    Args:
        count: how many threads, this one included.

    """

    def __init__(self, count: int):
        self.count = count
        self._row_s = float("inf")
        self._hands: list[_Hand] = []
        weakref.finalize(self, _dismiss, self._hands)

    def over(self, size: int, work: Work) -> None:
        """Call `work(k, rows)` for the parts 0, 1, ... of `size` rows, no two with the same k at once.

        Returns when all are done; what a part raises is raised here.
        """
        if self.count == 1:
            work(0, slice(0, size))
            return
        parts = max(1, int(min(self.count, size, size * self._row_s / LEAST_PART_S)))
        edges = [size * k // parts for k in range(parts + 1)]
        while len(self._hands) < parts - 1:
            self._hands.append(_Hand())
        busy = self._hands[: parts - 1]
        for k, hand in enumerate(busy, start=1):
            hand.inbox.put((work, k, slice(edges[k], edges[k + 1])))
        start = perf_counter()
        try:
            work(0, slice(0, edges[1]))
            if edges[1]:  # others may have held this thread up: the quickest call counts, but not for ever
                self._row_s = min((perf_counter() - start) / edges[1], 2 * self._row_s)
        finally:
            faults = [fault for hand in busy if (fault := hand.outbox.get()) is not None]
        if faults:
            raise faults[0]


@dataclass(eq=False)
class _Hand:
    """One more thread: it does the parts that it is sent, and answers each with None or what went wrong."""

    inbox: SimpleQueue[tuple[Work, int, slice] | None] = field(default_factory=SimpleQueue)
    outbox: SimpleQueue[BaseException | None] = field(default_factory=SimpleQueue)

    def __post_init__(self) -> None:
        Thread(target=_serve, args=(self.inbox, self.outbox), name="games", daemon=True).start()


def _serve(inbox: SimpleQueue[tuple[Work, int, slice] | None], outbox: SimpleQueue[BaseException | None]) -> None:
    while (part := inbox.get()) is not None:
        work, k, rows = part
        fault = None
        try:
            work(k, rows)
        except BaseException as error:  # it is raised in the thread that asked
            fault = error
        del part, work  # else what they refer to would live until the next
        outbox.put(fault)


def _dismiss(hands: list[_Hand]) -> None:
    for hand in hands:
        hand.inbox.put(None)
