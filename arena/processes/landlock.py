"""The least sandbox, by the kernel alone: a program reads a few folders, writes nowhere, and reaches nothing else.

`python landlock.py FOLDER... -- COMMAND...` needs no other program and no rights, but Linux 6.12 or newer: Landlock
(https://docs.kernel.org/userspace-api/landlock.html) allows it to read and run what lies below the folders, and keeps
it from signalling others and from their abstract sockets. A filter of system calls (seccomp) takes sockets, shared
memory, tracing, namespaces, priorities, and changes of modes and times of files. Other processes can be seen only where
`/proc` is, which it is not. Needs nothing but Python's own library.
"""

import contextlib
import ctypes
import errno
import os
import platform
import resource
import shutil
import struct
import sys
from collections.abc import Sequence

ABI = 6
"""Version of Landlock from which signals and abstract sockets can be kept from a program."""
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION_FLAG, PATH_BENEATH = 1, 1
ALL_ACCESS = (1 << 16) - 1
RUN, WRITE, READ, LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
TCP, SCOPES = 0b11, 0b11
NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER, DROP_BOUNDING = 38, 22, 2, 24
MOST_CAPABILITIES = 64
CAPABILITIES_V3 = 0x20080522
LARGEST_FILE = 64 * 2**20
"""Bytes; it can write no file, but into those that it was given open."""
WRITABLE = ("/dev/null", "/dev/zero", "/dev/full")
READABLE = ("/dev/urandom", "/dev/random")
NAMESPACES = 0x7E020000
"""Flags of `clone` that begin namespaces."""

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NONE = 0x7FFFFFFF
"""Number of a system call that an architecture does not have."""
CALLS = {
    "chmod": (90, NONE),
    "chown": (92, NONE),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "file_setattr": (469, 469),
    "fremovexattr": (199, 16),
    "fsetxattr": (190, 7),
    "futimesat": (261, NONE),
    "lchown": (94, NONE),
    "lremovexattr": (198, 15),
    "lsetxattr": (189, 6),
    "removexattr": (197, 14),
    "removexattrat": (466, 466),
    "setxattr": (188, 5),
    "setxattrat": (463, 463),
    "utime": (132, NONE),
    "utimensat": (280, 88),
    "utimes": (235, NONE),
    "add_key": (248, 217),
    "bpf": (321, 280),
    "fsopen": (430, 430),
    "io_uring_setup": (425, 425),
    "ioprio_set": (251, 30),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "request_key": (249, 218),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "semget": (64, 190),
    "setns": (308, 268),
    "setpriority": (141, 140),
    "shmget": (29, 194),
    "socket": (41, 198),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}
"""System calls that are refused, with their numbers on x86_64 and aarch64; the first change files' modes, owners,
times and marks, which Landlock leaves alone.
"""
OF_ITSELF = {"prlimit64": (302, 261), "sched_setaffinity": (203, 122)}
"""System calls that are refused for other processes: their first argument has to be 0."""
CLONE, CLONE3 = (56, 220), (435, 435)

LIBC = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Run the command that follows `--`, which may read the folders before it."""
    mark = sys.argv.index("--")
    folders, command = sys.argv[1:mark], sys.argv[mark + 1 :]
    program = shutil.which(command[0]) or command[0]
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        _drop_capabilities()
        _checked(LIBC.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0))
        _restrict(folders)
        _filter()
    except OSError as error:
        sys.exit(f"landlock: {error}")
    try:
        os.execv(program, command)
    except OSError as error:
        sys.exit(f"landlock: {command[0]}: {error.strerror}")


def _checked(result: int) -> int:
    """Return the result of a function of the C library; raise its `OSError` if it failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _drop_capabilities() -> None:
    """Give up all rights of root, also those that a program would get back."""
    for capability in range(MOST_CAPABILITIES):  # fails beyond the last one, and for those who have none
        LIBC.prctl(DROP_BOUNDING, capability, 0, 0, 0)
    _checked(LIBC.capset(struct.pack("=Ii", CAPABILITIES_V3, 0), bytes(24)))


def _restrict(folders: Sequence[str]) -> None:
    """Allow this process to read below the folders, and nothing else of the file system, the network and others."""
    abi = LIBC.syscall(CREATE_RULESET, None, 0, VERSION_FLAG)
    if abi < ABI:
        raise OSError(errno.ENOSYS, f"this kernel has version {max(abi, 0)} of Landlock, and {ABI} is needed")
    handled = struct.pack("=QQQ", ALL_ACCESS, TCP, SCOPES)
    ruleset = _checked(LIBC.syscall(CREATE_RULESET, handled, len(handled), 0))
    for path in folders:
        _allow(ruleset, path, RUN | READ | LIST)
    for path in READABLE:
        _allow(ruleset, path, READ)
    for path in WRITABLE:
        _allow(ruleset, path, READ | WRITE)
    _checked(LIBC.syscall(RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _allow(ruleset: int, path: str, access: int) -> None:
    """Allow access to what lies below a path, if it is there."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not os.path.isdir(path):
        access &= ~LIST
    rule = struct.pack("=Qi", access, place)
    _checked(LIBC.syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, 0))
    os.close(place)


def _filter() -> None:
    """Refuse system calls for good, in this process and in what it starts: a program of classic BPF over each call."""
    machine = platform.machine()
    if machine not in ARCHITECTURES:
        raise OSError(errno.ENOSYS, f"system calls of {machine} are not known")
    own = list(ARCHITECTURES).index(machine)
    refuse, allow = 0x00050000 | errno.EPERM, 0x7FFF0000
    load, equal, is_set, give = 0x20, 0x15, 0x45, 0x06  # ld [k], jeq k, jset k, ret k
    number, architecture, first = 0, 4, 16  # places in `struct seccomp_data`
    program = [
        (load, 0, 0, architecture),
        (equal, 1, 0, ARCHITECTURES[machine]),
        (give, 0, 0, 0x80000000),  # kill: calls of another architecture have other numbers
        (load, 0, 0, number),
        (is_set, 0, 1, 0x40000000),
        (give, 0, 0, refuse),  # x32, whose numbers are others
        (equal, 0, 1, CLONE3[own]),
        (give, 0, 0, 0x00050000 | errno.ENOSYS),  # its flags cannot be read here; libraries then call `clone`
    ]
    for numbers in CALLS.values():
        program += [(equal, 0, 1, numbers[own]), (give, 0, 0, refuse)]
    for numbers in OF_ITSELF.values():
        program += [(equal, 0, 3, numbers[own]), (load, 0, 0, first), (equal, 1, 0, 0), (give, 0, 0, refuse)]
        program += [(load, 0, 0, number)]
    program += [(equal, 0, 3, CLONE[own]), (load, 0, 0, first), (is_set, 0, 1, NAMESPACES), (give, 0, 0, refuse)]
    program += [(give, 0, 0, allow)]
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
    kept = ctypes.create_string_buffer(code, len(code))
    whole = struct.pack("HP", len(program), ctypes.addressof(kept))
    _checked(LIBC.prctl(SET_SECCOMP, FILTER, whole, 0, 0))


if __name__ == "__main__":
    main()
