"""Keep freed memory in the process for the next tensors, since the system would have to clear it again."""

import ctypes
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
KEPT = 2**30
"""Bytes that may lie free at the end of the heap."""
OF_ITS_OWN = 2**25
"""Size in bytes from which a block gets a mapping of its own, returned when freed: the maximum of glibc."""


def keep_freed_memory() -> None:
    """Keep memory that is freed from now on, where the C library is glibc.

    The tensors between the layers of a network are of some megabytes each and live for as many microseconds. glibc
    would give them back to the system one by one, and a tenth of a training would go to pages that are cleared again.
    """
    if sys.platform.startswith("linux") and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        libc.mallopt(M_MMAP_THRESHOLD, OF_ITS_OWN)
        libc.mallopt(M_TRIM_THRESHOLD, KEPT)
