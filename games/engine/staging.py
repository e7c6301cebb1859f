"""Observations on their way to a device's memory: a block of threads collects its own in shared memory first.

A thread writes an observation entry by entry. Into the device's memory each of these writes would be one of its own,
far from those of its neighbours; what lies side by side in shared memory, the threads copy together.
"""

from typing import Any

from numpy.typing import NDArray

from games.engine.entries import flat
from games.engine.jit import njit

SHARED = 48 * 1024
"""Bytes of shared memory that a block of any device can have."""
BLOCKS = (128, 64, 32)
"""Numbers of threads of a block to choose from; a warp has 32."""


def block_of(entry_bytes: int) -> int:
    """Return how many threads of a block can collect an entry of so many bytes each; 0 if none can."""
    return next((threads for threads in BLOCKS if threads * entry_bytes <= SHARED), 0)


@njit(inline="always")
def copy_share(source: NDArray[Any], target: NDArray[Any], start: int, count: int, thread: int, threads: int) -> None:
    """Copy this thread's share of the first `count` numbers of one array to those of another from `start` on."""
    given, taken = flat(source), flat(target)
    for at in range(thread, count, threads):
        taken[start + at] = given[at]
