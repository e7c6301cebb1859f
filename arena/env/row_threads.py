"""`RowThreads`: compiled kernels over rows of a batch, in several threads."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

SMALLEST_PART = 64  # rows; fewer are played faster than another thread is woken


class RowThreads:
    """Does work on parts of a batch side by side; kernels let go of Python's lock.

    Args:
        count: how many threads, this one included.

    """

    def __init__(self, count: int):
        self.count = count
        self._others: ThreadPoolExecutor | None = None

    def over(self, size: int, work: Callable[[int, slice], None]) -> None:
        """Call `work(k, rows)` for the parts 0, 1, ... of `size` rows, no two with the same k at once."""
        parts = max(1, min(self.count, size // SMALLEST_PART))
        edges = [size * k // parts for k in range(parts + 1)]
        if parts > 1 and self._others is None:
            self._others = ThreadPoolExecutor(self.count - 1, thread_name_prefix="games")
        others = [self._others.submit(work, k, slice(edges[k], edges[k + 1])) for k in range(1, parts) if self._others]
        work(0, slice(0, edges[1]))
        for other in others:
            other.result()
