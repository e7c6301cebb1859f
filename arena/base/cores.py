"""Number of cores that this process may use."""

import os


def usable_cores() -> int:
    """Return the number of cores that this process may run on, at least 1."""
    if hasattr(os, "sched_getaffinity"):  # a container or `taskset` may leave it fewer than the machine has
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
