"""The sandbox of a kernel of its own: gVisor's `runsc` (https://gvisor.dev), which answers system calls itself.

`python gvisor.py PLACE SIZE START FOLDER... -- COMMAND...` runs a command with these folders to read, a `/tmp` and a
`/dev/shm` of SIZE bytes, and START as its folder, in a container that is described to `runsc` as the Open Container
Initiative has it (https://github.com/opencontainers/runtime-spec). The description lies in a folder in PLACE, which is
gone when the command has ended; one that a killed launcher has left is removed by the next. Needs nothing but Python's
own library.
"""

import contextlib
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

PREFIX = "arena-gvisor-"
READ_ONLY = ["ro", "rbind", "nosuid", "nodev"]
NAMESPACES = ("pid", "ipc", "uts", "mount", "network")
CAPABILITIES = ("bounding", "effective", "inheritable", "permitted", "ambient")
REFUSED = ("mknod", "mknodat", "setns", "setpriority", "unshare")
"""System calls that its kernel would answer for its own world alone, without asking who calls."""
NEW_NAMESPACES = 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
"""Flags of `clone` that begin namespaces: of mounts, cgroups, names, IPC, users, processes and networks."""
NOT_PERMITTED, UNKNOWN_CALL, END_WITH_PARENT = 1, 38, 1
LARGEST_FILE = 64 * 2**20
"""Bytes."""


def main() -> None:
    """Run the command that follows `--`; exit with its status."""
    mark = sys.argv.index("--")
    temporary, size, start, *folders = sys.argv[1:mark]
    _sweep(Path(temporary))
    place = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=temporary))
    try:
        shown = _laid_out(place / "root", folders)
        container = _container(sys.argv[mark + 1 :], start, [*_memory(int(size)), *shown])
        (place / "config.json").write_text(json.dumps(container))
        status = _run(place)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    sys.exit(status)


def _run(place: Path) -> int:
    """Run the container described in a folder; return the exit status of its command."""
    words = ["runsc", "--root", str(place / "state"), "--network=none", "--ignore-cgroups", "--oci-seccomp"]
    words += [] if os.geteuid() == 0 else ["--rootless"]
    end_with_parent = partial(ctypes.CDLL(None).prctl, END_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    process = subprocess.Popen([*words, "run", "--bundle", str(place), place.name], preexec_fn=end_with_parent)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: process.kill())
    status = process.wait()
    return status if status >= 0 else 128 - status


def _container(command: Sequence[str], start: str, mounts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the description of a container: no rights, no terminal, and nothing to write to but memory."""
    nothing: dict[str, list[str]] = {kind: [] for kind in CAPABILITIES}
    return {
        "ociVersion": "1.0.2",
        "hostname": "sandbox",
        "root": {"path": "root", "readonly": True},
        "process": {
            "args": list(command),
            "cwd": start,
            "env": [f"{name}={value}" for name, value in os.environ.items()],
            "user": {"uid": os.getuid(), "gid": os.getgid()},
            "capabilities": nothing,
            "noNewPrivileges": True,
            "rlimits": [{"type": "RLIMIT_FSIZE", "hard": LARGEST_FILE, "soft": LARGEST_FILE}],
        },
        "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"}, *mounts],
        "linux": {"namespaces": [{"type": kind} for kind in NAMESPACES], "seccomp": _filter()},
    }


def _filter() -> dict[str, Any]:
    """Return the filter of system calls within the container."""

    def refused(names: Sequence[str], number: int, *flags: int) -> dict[str, Any]:
        equal = [{"index": 0, "value": flag, "valueTwo": flag, "op": "SCMP_CMP_MASKED_EQ"} for flag in flags]
        return {"names": list(names), "action": "SCMP_ACT_ERRNO", "errnoRet": number, "args": equal}

    calls = [refused(REFUSED, NOT_PERMITTED), refused(["clone3"], UNKNOWN_CALL)]  # whose flags no filter can see
    calls += [refused(["clone"], NOT_PERMITTED, flag) for flag in NEW_NAMESPACES]
    return {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": calls}


def _laid_out(root: Path, folders: Sequence[str]) -> list[dict[str, Any]]:
    """Make the root folder, with the links among the folders; return the mounts of the others that are there."""
    root.mkdir()
    mounts = []
    for folder in folders:
        place = root / folder.lstrip("/")
        if os.path.islink(folder):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(os.readlink(folder))
        elif os.path.exists(folder):
            mounts.append({"destination": folder, "type": "bind", "source": folder, "options": READ_ONLY})
    return mounts


def _memory(size: int) -> list[dict[str, Any]]:
    """Return the mounts of folders in memory."""
    kind = {"type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", f"size={size}", "mode=1777"]}
    return [{"destination": place} | kind for place in ("/tmp", "/dev/shm")]


def _sweep(temporary: Path) -> None:
    """Remove the folders of launchers that are gone."""
    for place in temporary.glob(f"{PREFIX}*"):
        number = place.name.removeprefix(PREFIX).partition("-")[0]
        with contextlib.suppress(OSError):
            if place.lstat().st_uid == os.getuid() and not os.path.exists(f"/proc/{number}"):
                shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
