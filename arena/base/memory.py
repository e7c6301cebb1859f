"""Settings of a program's memory: what is freed stays for the next tensors, and garbage is looked for less often."""

import gc
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
KEPT = 2**30
"""Bytes that may lie free at the end of the heap."""
OF_ITS_OWN = 2**25
"""Size in bytes from which a block gets a mapping of its own, returned when freed: the maximum of glibc."""
GARBAGE = 50_000, 10, 10
"""Thresholds of Python's garbage collector: new containers before it looks at them, and looks before a wider one."""


def collect_garbage_rarely() -> None:
    """Have the garbage collector look less often; for the beginning of a program, before its imports.

    By default it looks after every 700 new containers, and finds little: imports of numba, torch and textual spend a
    seventh of their time on that, screens a fifth.
    """
    gc.set_threshold(*GARBAGE)


def keep_freed_memory() -> None:
    """Keep memory that is freed from now on, where the C library is glibc.

    The tensors between the layers of a network are of some megabytes each and live for as many microseconds. glibc
    would give them back to the system one by one, and a tenth of a training would go to pages that are cleared again.
    """
    import ctypes  # here: a program that shows its help needs none

    if sys.platform.startswith("linux") and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        libc.mallopt(M_MMAP_THRESHOLD, OF_ITS_OWN)
        libc.mallopt(M_TRIM_THRESHOLD, KEPT)
