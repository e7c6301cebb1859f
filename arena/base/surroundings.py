"""Surroundings of a computation: versions, machine and time; no names of users or hosts."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

PACKAGES = ("arena-marl", "numpy", "numba", "torch")
"""Packages whose versions may change results."""


def surroundings() -> dict[str, Any]:
    """Return versions and machine as JSON values; imports none of the packages."""
    return {
        "versions": {"python": platform.python_version()}
        | {name: version for name in PACKAGES if (version := _version(name))},
        "machine": {"system": platform.platform(), "processor": platform.machine(), "cores": os.cpu_count()},
    }


def as_date(seconds: float) -> str:
    """Return a time in seconds since 1970 as a date and time of ISO 8601, UTC, whole seconds."""
    return datetime.fromtimestamp(int(seconds), UTC).isoformat()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
