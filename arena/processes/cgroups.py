"""Control groups of the kernel (cgroups(7), versions 1 and 2), which limit a program and all that it starts together.

A group is made below that of this process, where this user may make one: as root, in a container that shows its groups
writable, or below a service of systemd that has `Delegate=yes` and `DelegateSubgroup=`. Needs nothing but Python's own
library: the guard of a program imports it before anything else is there.
"""

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

PERIOD_US = 100_000
"""Span of time within which a program uses its share of the processor."""
REMOVAL_S = 1.0
"""Longest time that a group takes to be empty once its processes are killed."""
PREFIX = "arena-"
CONTROLLERS = ("memory", "pids", "cpu")


@dataclass(frozen=True)
class GroupLimits:
    """Limits of a group, 0 for none."""

    memory_bytes: int = 0
    tasks: int = 0
    """Processes and threads."""
    cores: float = 0.0
    """Time of the processor per time."""

    def files(self, version: int) -> dict[str, dict[str, str]]:
        """Return what is written to which files of a group, by controller."""
        memory = "memory.max" if version == 2 else "memory.limit_in_bytes"
        quota = str(round(self.cores * PERIOD_US))
        cpu = {"cpu.max": f"{quota} {PERIOD_US}"} if version == 2 else {"cpu.cfs_quota_us": quota}
        return {
            "memory": {memory: str(self.memory_bytes)} if self.memory_bytes else {},
            "pids": {"pids.max": str(self.tasks)} if self.tasks else {},
            "cpu": cpu if self.cores else {},
        }


@dataclass(frozen=True)
class Parent:
    """A group in which others can be made."""

    version: int
    folder: Path
    controllers: frozenset[str]


class ControlGroup:
    """A group of the guard that makes it, named after its process: a folder in each hierarchy that limits something.

    Attributes:
        limited: the controllers that limit it, of `CONTROLLERS`.

    """

    def __init__(self, limits: GroupLimits, proc: Path = Path("/proc")):
        self._folders: list[Path] = []
        self.limited: set[str] = set()
        for parent in parents(proc):
            with contextlib.suppress(OSError):
                self._make(parent, limits)

    def _make(self, parent: Parent, limits: GroupLimits) -> None:
        """Make the folder in one hierarchy, for what is not limited yet; `OSError` if that is not allowed."""
        missing = parent.controllers - self.limited
        wanted = {name: files for name, files in limits.files(parent.version).items() if files and name in missing}
        if not wanted:
            return
        _remove_forsaken(parent.folder)
        folder = parent.folder / f"{PREFIX}{os.getpid()}"
        folder.mkdir(exist_ok=True)
        try:
            for files in wanted.values():
                for file, value in files.items():
                    (folder / file).write_text(value)
        except OSError:
            folder.rmdir()
            raise
        self._folders.append(folder)
        self.limited |= wanted.keys()

    def enter(self) -> None:
        """Put this process into it, with all that it will start; `OSError` if that is not allowed."""
        for folder in self._folders:
            (folder / "cgroup.procs").write_text("0")

    def out_of_memory(self) -> bool:
        """Return whether the kernel has killed one of its processes for want of memory."""
        for folder in self._folders:
            for file in ("memory.events", "memory.oom_control"):
                with contextlib.suppress(OSError):
                    words = (folder / file).read_text().split()
                    if int(words[words.index("oom_kill") + 1]):
                        return True
        return False

    def remove(self) -> None:
        """Remove it, once its processes have ended."""
        until = time.monotonic() + REMOVAL_S
        for folder in self._folders:
            while not _removed(folder) and time.monotonic() < until:
                time.sleep(0.002)


def parents(proc: Path = Path("/proc")) -> Iterator[Parent]:
    """Yield the groups of this process, and what else may hold new ones, the nearest first."""
    own = _own_groups(proc)
    for kind, root, place, options in _mounts(proc):
        mine = own.get("" if kind == "cgroup2" else next((name for name in options if name in own), "-"))
        if mine is None:
            continue
        folder = _below(place, root, mine)
        if kind == "cgroup":
            yield Parent(1, folder, frozenset(options) & frozenset(CONTROLLERS))
            continue
        with contextlib.suppress(OSError):  # where it has no processes of its own
            (folder / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in CONTROLLERS))
        for above in dict.fromkeys((folder, folder.parent if folder != place else folder, place)):
            with contextlib.suppress(OSError):
                passed_on = frozenset((above / "cgroup.subtree_control").read_text().split())
                yield Parent(2, above, passed_on & frozenset(CONTROLLERS))


def _own_groups(proc: Path) -> Mapping[str, str]:
    """Return the path of this process's group by controller, that of version 2 under ''."""
    own: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for line in (proc / "self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            own |= dict.fromkeys(controllers.split(","), path)
    return own


def _mounts(proc: Path) -> Iterator[tuple[str, str, Path, list[str]]]:
    """Yield the hierarchies that are mounted: kind, the group at the root, where, and options."""
    with contextlib.suppress(OSError):
        for line in (proc / "self/mountinfo").read_text().splitlines():
            before, _, after = line.partition(" - ")
            kind, _, options = after.split(" ", 2)
            if kind in ("cgroup", "cgroup2"):
                _, _, _, root, place, *_ = before.split(" ")
                yield kind, root, Path(place), options.split(",")


def _below(place: Path, root: str, group: str) -> Path:
    """Return the folder of a group in a hierarchy whose group `root` is mounted at `place`."""
    relative = os.path.relpath(group, root)
    return place if relative.startswith("..") else place / relative


def _remove_forsaken(folder: Path) -> None:
    """Remove the groups of guards that were killed."""
    for group in folder.glob(f"{PREFIX}*"):
        number = group.name.removeprefix(PREFIX)
        if number.isdecimal() and not os.path.exists(f"/proc/{number}"):
            _removed(group)


def _removed(group: Path) -> bool:
    """Remove a group with those that guards below it have left in it; return False if something still runs there."""
    try:
        for inner in group.glob(f"{PREFIX}*"):
            _removed(inner)
        group.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
