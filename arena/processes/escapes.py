"""Attempts of a hostile program to leave a sandbox; run as a script, it prints which succeed.

`python escapes.py BAIT`: BAIT is a JSON object with what lies outside for it to find
(`arena.match.containment` lays it out). Prints a JSON object: for each attempt, true if it was possible. Nothing
that is possible does harm. Needs nothing but Python's own library.
"""

import contextlib
import ctypes
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

ATTEMPTS: dict[str, Callable[[Mapping[str, Any]], object]] = {}
"""Attempts by what they are; each raises an error, or returns something false but not None, if it is not possible."""
LIBC = ctypes.CDLL(None, use_errno=True)
PTRACE_ATTACH, CLONE_NEWUSER, MS_REMOUNT, TIOCSTI = 16, 0x10000000, 32, 0x5412
TOO_MUCH = 200 * 2**20
"""Bytes that are more than a sandbox gives."""
TIMEOUT_S = 1.0
LIMIT_S = 5
"""Seconds for an attempt."""


def attempt(what: str) -> Callable[[Callable[[Mapping[str, Any]], object]], Callable[[Mapping[str, Any]], object]]:
    """Return a decorator that adds an attempt."""

    def add(function: Callable[[Mapping[str, Any]], object]) -> Callable[[Mapping[str, Any]], object]:
        ATTEMPTS[what] = function
        return function

    return add


def call(name: str, *arguments: Any) -> bool:
    """Call a function of the C library; raise an `OSError` if it fails."""
    if getattr(LIBC, name)(*arguments) == -1:
        raise OSError(ctypes.get_errno(), name)
    return True


def connected(family: int, address: Any) -> bool:
    """Connect a socket, within a time limit."""
    with socket.socket(family, socket.SOCK_STREAM) as client:
        client.settimeout(TIMEOUT_S)
        client.connect(address)
    return True


def written(path: str) -> bool:
    """Open a file for writing, without changing it."""
    os.close(os.open(path, os.O_WRONLY))
    return True


def created(folder: str) -> bool:
    """Create a file in a folder, and remove it."""
    path = f"{folder}/arena-escape-{os.getpid()}"
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    os.unlink(path)
    return True


def filled(folder: str) -> bool:
    """Write more than a sandbox gives into a folder."""
    path = f"{folder}/arena-escape-{os.getpid()}"
    try:
        with open(path, "wb") as file:
            for _ in range(TOO_MUCH >> 20):
                file.write(bytes(1 << 20))
        return True
    finally:
        os.unlink(path)


def read(path: str) -> bytes:
    """Read a file."""
    with open(path, "rb") as file:
        return file.read(4096)


def ran(*command: str) -> bool:
    """Run a program; return whether it succeeds."""
    return subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False).returncode == 0


attempt("reach the internet by TCP")(lambda bait: connected(socket.AF_INET, ("1.1.1.1", 53)))
attempt("reach the internet by IPv6")(lambda bait: connected(socket.AF_INET6, ("2606:4700:4700::1111", 53)))
attempt("reach a server on this machine")(lambda bait: connected(socket.AF_INET, ("127.0.0.1", bait["port"])))
attempt("reach an abstract Unix socket")(lambda bait: connected(socket.AF_UNIX, "\0" + bait["abstract"]))
attempt("reach a Unix socket by its path")(lambda bait: connected(socket.AF_UNIX, bait["socket"]))
attempt("resolve a name")(lambda bait: socket.getaddrinfo("example.org", 80))
attempt("open a raw socket")(lambda bait: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
attempt("capture packets")(lambda bait: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("read a file in the home folder")(lambda bait: read(bait["home_file"]))
attempt("read a file in the temporary folder")(lambda bait: read(bait["temporary_file"]))
attempt("read another program's folder")(lambda bait: os.listdir(bait["other_folder"]))
attempt("change who may read a file")(lambda bait: os.chmod(bait["home_file"], 0o600))
attempt("change the times of a file")(lambda bait: os.utime(bait["home_file"]))
attempt("mark a file")(lambda bait: os.setxattr(bait["home_file"], "user.arena", b"1"))
attempt("read hashes of passwords")(lambda bait: read("/etc/shadow"))
attempt("list the users")(lambda bait: read("/etc/passwd"))
attempt("write into /usr")(lambda bait: created("/usr"))
attempt("write into /etc")(lambda bait: created("/etc"))
attempt("write into the root folder")(lambda bait: created("/"))
attempt("write beside itself")(lambda bait: created(os.path.dirname(os.path.abspath(__file__))))
attempt("change its own file")(lambda bait: written(os.path.abspath(__file__)))
attempt("fill the temporary folder")(lambda bait: filled("/tmp"))
attempt("fill the shared memory")(lambda bait: filled("/dev/shm"))
attempt("fill /dev")(lambda bait: filled("/dev"))
attempt("open a kernel's memory")(lambda bait: read("/dev/mem"))
attempt("read the kernel's log")(lambda bait: read("/dev/kmsg"))
attempt("write a setting of the kernel")(lambda bait: written("/proc/sys/kernel/core_pattern"))
attempt("trigger a system request")(lambda bait: written("/proc/sysrq-trigger"))
attempt("find shared memory of others")(lambda bait: read(bait["shared_memory"]))
attempt("find a System V segment of others")(lambda bait: call("shmget", bait["segment"], 0, 0o600))
attempt("see processes of others")(lambda bait: bait["marker"].encode() in read(f"/proc/{bait['process']}/cmdline"))
attempt("read their environment")(lambda bait: bait["marker"].encode() in read(f"/proc/{bait['process']}/environ"))
attempt("signal them")(lambda bait: os.kill(bait["process"], 0))
attempt("trace them")(lambda bait: call("ptrace", PTRACE_ATTACH, bait["process"], 0, 0))
attempt("limit them")(lambda bait: resource.prlimit(bait["process"], resource.RLIMIT_NOFILE))
attempt("pin them to a core")(lambda bait: os.sched_setaffinity(bait["process"], os.sched_getaffinity(0)))
attempt("find a secret in its environment")(lambda bait: bait["variable"] in os.environ)
attempt("find open files of its parent")(lambda bait: bait["inherited"] in _open_files())
attempt("set the clock")(lambda bait: time.clock_settime(time.CLOCK_REALTIME, time.time()))
attempt("raise its priority")(lambda bait: os.nice(-5) < 0)
attempt("be scheduled in real time")(lambda bait: os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1)))
attempt("make its root writable")(lambda bait: call("mount", b"none", b"/", None, MS_REMOUNT, None))
attempt("change its root")(lambda bait: os.chroot("/tmp"))
attempt("begin a namespace of users")(lambda bait: call("unshare", CLONE_NEWUSER))
attempt("gain rights by a set-uid program")(lambda bait: ran("su", "-c", "true") and os.getuid() != 0)
attempt("type into its terminal")(lambda bait: _typed())


@attempt("mount a file system")
def _by_mount(bait: Mapping[str, Any]) -> bool:
    point = f"/tmp/mount-{os.getpid()}".encode()
    os.mkdir(point)
    call("mount", b"none", point, b"tmpfs", 0, None)
    call("umount", point)
    os.rmdir(point)
    return True


@attempt("make a device")
def _by_device(bait: Mapping[str, Any]) -> bool:
    path = f"/tmp/device-{os.getpid()}"
    os.mknod(path, 0o20666, os.makedev(1, 1))
    os.unlink(path)
    return True


@attempt("follow a symbolic link out")
def _by_symbolic_link(bait: Mapping[str, Any]) -> bytes:
    path = f"/tmp/link-{os.getpid()}"
    os.symlink(bait["home_file"], path)
    try:
        return read(path)
    finally:
        os.unlink(path)


@attempt("keep a hard link to a system's file")
def _by_hard_link(bait: Mapping[str, Any]) -> bool:
    path = f"/tmp/hard-{os.getpid()}"
    os.link("/usr/bin/env", path)
    os.unlink(path)
    return True


def _open_files() -> set[str]:
    """Return the targets of all open files of this process."""
    targets = set()
    for number in os.listdir("/proc/self/fd"):
        try:
            targets.add(os.readlink(f"/proc/self/fd/{number}"))
        except OSError:  # that of the listing itself
            continue
    return targets


def _typed() -> bool:
    with open("/dev/tty", "w") as terminal:
        return call("ioctl", terminal.fileno(), TIOCSTI, b" ")


def possible(function: Callable[[Mapping[str, Any]], object], bait: Mapping[str, Any]) -> bool:
    """Return whether an attempt succeeds, made in a process of its own, so that others are not changed by it."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    signal.alarm(LIMIT_S)
    status = 1
    with contextlib.suppress(Exception):  # whatever prevents it
        outcome = function(bait)
        status = 0 if outcome is None or outcome else 1
    os._exit(status)


def main() -> None:
    """Try everything, and print what was possible."""
    bait = json.loads(sys.argv[1])
    print(json.dumps({what: possible(function, bait) for what, function in ATTEMPTS.items()}))


if __name__ == "__main__":
    main()
