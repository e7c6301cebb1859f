"""A sandbox for programs that are not trusted: what they may see and reach, by bubblewrap (`bwrap`).

A program in it has no network; sees the system's programs and libraries, its interpreter and the folders of the files
that its command names, all read-only; has a `/tmp` of its own, which is empty, small and gone afterwards; and knows
neither other processes nor this environment. Its guard (`arena.processes.guarded`) is outside: it limits memory and
processes as always, and where control groups can be made has it use one core. `arena.processes.escapes` tries what it
must not be able to do.

It is switched on by `use_sandbox`, or by `ARENA_SANDBOX=bubblewrap` in the environment, which child processes inherit.
`ARENA_SANDBOX=runsc` runs programs on a kernel of their own, gVisor (`arena.processes.gvisor`), which alone calls that
of the machine. Where neither can be had, `ARENA_SANDBOX=landlock` does with the kernel alone
(`arena.processes.landlock`): a program in it writes nowhere, has no files of its own, and shares its name and its
processes with the system.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from arena.base.errors import UsageError
from arena.processes.guarded import Guarded, default_bounds, guarded

VARIABLE = "ARENA_SANDBOX"
BUBBLEWRAP, RUNSC, LANDLOCK = "bubblewrap", "runsc", "landlock"
KINDS = (BUBBLEWRAP, RUNSC, LANDLOCK)
WITH_FILES = (BUBBLEWRAP, RUNSC)
"""Those with a `/tmp` of their own."""
LAUNCHER, CONTAINER = (Path(__file__).with_name(name) for name in ("landlock.py", "gvisor.py"))
TRIAL_S = 10.0
"""Seconds for a trial of the sandbox."""
CORES = 1.0
"""Cores whose time a program has, where a control group can be made, however many threads it starts."""
TEMPORARY_BYTES = 64 * 2**20
"""Size of `/tmp` and of `/dev/shm`, each."""
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Folders of the system that are shown, where they are there."""
SETTINGS = ("alternatives", "fonts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "ssl/certs", "terminfo")
"""What is shown of `/etc`."""
MOST_LINKS = 40
"""Links on the way to a file that Linux follows."""
PROGRAM_FOLDERS = ("bin", "shims")
"""Names of folders of programs; what these need lies beside them."""
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/games", "HOME": "/tmp", "LANG": "C.UTF-8"}
ALONE = (
    "--unshare-user",
    "--unshare-all",
    "--disable-userns",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
    "--clearenv",
)
"""Namespaces of its own (users, processes, network, IPC, names, cgroups), no terminal, no environment."""


def use_sandbox(kind: str | None = None) -> None:
    """Run the programs of agents in a sandbox, in this process and its children.

    By default it is that of the environment, else bubblewrap. Raises `UsageError` where there is no sandbox of this
    kind, or it does not work here.
    """
    kind = kind or os.environ.get(VARIABLE) or BUBBLEWRAP
    _require(kind)
    trial = [*_wrapped(kind, ["true"]), "true"]
    try:
        done = subprocess.run(trial, stdin=subprocess.DEVNULL, capture_output=True, timeout=TRIAL_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"the sandbox cannot be started: {error}") from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or [f"exit status {done.returncode}"]
        why = "; containers often forbid namespaces of users" if kind == BUBBLEWRAP else ""
        raise UsageError(f"the sandbox does not work here: {lines[-1]}{why}")
    os.environ[VARIABLE] = kind


def guarded_program(command: Sequence[str]) -> Guarded:
    """Return the program of an agent below a guard, in the sandbox if one is switched on."""
    bounds = default_bounds()
    return guarded(sandboxed(command), replace(bounds, cores=CORES) if os.environ.get(VARIABLE) else bounds)


def sandboxed(command: Sequence[str]) -> list[str]:
    """Return a command as it is run: in the sandbox if one is switched on. `UsageError` if that is missing."""
    kind = os.environ.get(VARIABLE, "")
    if not kind:
        return list(command)
    _require(kind)
    return [*_wrapped(kind, command), *command]


def _require(kind: str) -> None:
    if kind not in KINDS:
        raise UsageError(f"{kind!r} is no sandbox; known are {', '.join(KINDS)}")
    if kind == BUBBLEWRAP and shutil.which("bwrap") is None:
        raise UsageError("bubblewrap is not installed, which contains programs: apt install bubblewrap (Linux only)")
    if kind == RUNSC and shutil.which("runsc") is None:
        raise UsageError("gVisor's runsc is not installed: apt install runsc, or https://gvisor.dev/docs (Linux only)")


def _wrapped(kind: str, command: Sequence[str]) -> list[str]:
    """Return the command that runs another one in a sandbox, to be followed by that."""
    if kind == BUBBLEWRAP:
        return _in_bubblewrap(command)
    needed, links = _folders_and_links(command)
    first = [str(LAUNCHER)]
    if kind == RUNSC:
        first = [str(CONTAINER), tempfile.gettempdir(), str(TEMPORARY_BYTES), _start_folder(needed)]
    environment = [f"{name}={value}" for name, value in ENVIRONMENT.items()]
    folders = [*SYSTEM, *(f"/etc/{name}" for name in SETTINGS), *needed, *links]
    return ["env", "-i", *environment, sys.executable, "-I", "-S", *first, *folders, "--"]


def _in_bubblewrap(command: Sequence[str]) -> list[str]:
    size = str(TEMPORARY_BYTES)
    words = [shutil.which("bwrap") or "bwrap", *ALONE, "--cap-drop", "ALL"]
    for name, value in ENVIRONMENT.items():
        words += ["--setenv", name, value]
    for folder in SYSTEM:
        words += ["--symlink", os.readlink(folder), folder] if os.path.islink(folder) else _shown(folder)
    for name in SETTINGS:
        words += _shown(f"/etc/{name}")
    words += ["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"]  # the kernel asks for root outside, not within
    words += ["--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    words += ["--size", size, "--tmpfs", "/tmp"]
    needed, links = _folders_and_links(command)
    for path in needed:
        words += _shown(path)
    for link in links:
        words += ["--symlink", os.readlink(link), link]
    return [*words, "--remount-ro", "/", "--chdir", _start_folder(needed), "--"]


def _shown(path: str) -> list[str]:
    return ["--ro-bind-try", path, path]


def _folders_and_links(command: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the folders that a command needs, and the links elsewhere by way of which its program is found."""
    program = shutil.which(command[0]) or command[0]
    folders = list(dict.fromkeys(_needed(program, command[1:])))
    return folders, list(_links(program, folders))


def _needed(program: str, arguments: Sequence[str]) -> Iterator[str]:
    """Yield the folders of the program and of files that its arguments name, outside those of the system."""
    for place in (program, os.path.realpath(program)):
        folder = Path(place).absolute().parent
        beside = folder.parent
        whole = folder.name in PROGRAM_FOLDERS and not Path.home().is_relative_to(beside)
        if not _of_system(folder):
            yield str(beside if whole else folder)
    for argument in arguments:
        if os.path.exists(argument):
            path = Path(argument).resolve()
            folder = path if path.is_dir() else path.parent
            if not _of_system(folder):
                yield str(folder)


def _of_system(folder: Path) -> bool:
    return folder == Path("/") or any(folder.is_relative_to(shown) for shown in SYSTEM)


def _links(program: str, shown: Sequence[str]) -> Iterator[str]:
    """Yield the links on the way to a program that lie neither in a shown folder nor above one.

    An environment's `python` may lead to `~/.local/bin/python3.13`, and that to where Python is installed.
    """
    at, left, folders = "/", MOST_LINKS, [Path(folder) for folder in (*SYSTEM, *shown)]
    parts = _parts(os.path.abspath(program))
    while parts:
        step = os.path.normpath(os.path.join(at, parts.pop()))
        if not (left and os.path.islink(step)):
            at = step
            continue
        left -= 1
        target = os.readlink(step)
        parts += _parts(target)
        at = "/" if target.startswith("/") else at
        link = Path(step)
        if not any(link.is_relative_to(folder) or folder.is_relative_to(link) for folder in folders):
            yield step


def _parts(path: str) -> list[str]:
    """Return the names in a path, the last one first."""
    return [name for name in reversed(path.split("/")) if name]


def _start_folder(shown: Sequence[str]) -> str:
    """Return the folder to start in: this one where it is shown, so that relative names mean the same."""
    here = Path.cwd()
    return str(here) if any(here.is_relative_to(path) for path in shown) else "/tmp"
