"""Origin of a run: its command, the versions that it ran with, the machine, and when. Imports no torch."""

import platform
import shlex
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from arena.base.cores import usable_cores
from arena.base.passwords import without_password

PACKAGES = "arena-marl", "torch", "numpy", "numba", "gymnasium", "pettingzoo", "open-spiel"
"""Packages that results may depend on."""


def origin(threads: int) -> dict[str, Any]:
    """Return the command of this process, the date (UTC), versions, the machine, and the given number of threads."""
    command = shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
    return {
        "command": without_password(command),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {"python": platform.python_version(), **_versions()},
        "machine": {"system": platform.platform(), "processor": platform.machine(), "cores": usable_cores()},
        "threads": threads,
    }


def _versions() -> dict[str, str]:
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions
