"""The protocol of collectors, as trainers use them."""

from typing import Protocol

from arena.data.buffer.base import ReplayBuffer
from arena.data.stats import CollectStats


class CollectorLike(Protocol):
    """Fills a buffer from environments in this process (`Collector`) or in workers."""

    buffer: ReplayBuffer
    collect_step: int
    """Environment steps since `reset_stat`."""
    collect_episode: int
    """Episodes that ended."""
    collect_time: float
    """Seconds that collecting took."""

    def collect(self, n_step: int | None = None, n_episode: int | None = None) -> CollectStats:
        """Collect a number of environment steps or episodes."""

    def most_steps(self, n_step: int) -> int:
        """Return the largest number of steps that `collect(n_step)` makes."""

    def reset_stat(self) -> None:
        """Reset the counters to zero."""

    def reset_buffer(self, keep_statistics: bool = False) -> None:
        """Empty the buffer; with `keep_statistics`, keep the returns and lengths of unfinished episodes."""
