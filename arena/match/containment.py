"""The sandbox for the programs of agents: switched on for a command, and tried by `arena.processes.escapes`."""

import ctypes
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from arena.base.errors import UsageError
from arena.processes import escapes
from arena.processes.guarded import Bounds, guarded
from arena.processes.sandbox import BUBBLEWRAP, CORES, sandboxed, use_sandbox
from arena.processes.tree import tree, used_time

LIMIT_S = 120.0
"""Seconds for all attempts."""
MEMORY_BYTES, PROCESSES = 300 * 2**20, 20
"""Limits of the guard, for the attempts to exceed them."""
GREEDY = "held = []\nwhile True: held.append(bytearray(10**7))"
FORKING = "import os, time\nfor _ in range(200): os.fork() or time.sleep(60)\ntime.sleep(60)"
BUSY = """
import os, signal, time
os.write(1, b"b")
until, child = time.monotonic() + 1, os.fork()
while time.monotonic() < until: pass
child and os.write(1, b"e")
signal.pause()
"""
"""Writes a byte, uses two cores for a second, writes another, and stays."""
MUCH = 1.4
"""Seconds of processor a second that are more than a core gives."""
IPC_CREATE, IPC_REMOVE = 0o1600, 0


def switch_on_sandbox(workers: str = "1") -> None:
    """Run the programs of agents in a sandbox, here and in so many local workers.

    Raises `UsageError` where it does not work, or would not reach workers that are elsewhere.
    """
    if not workers.isdecimal():
        raise UsageError("--sandbox reaches local workers; for Ray set ARENA_SANDBOX=bubblewrap where its nodes start")
    use_sandbox()


def try_sandbox(kind: str = BUBBLEWRAP) -> dict[str, bool]:
    """Return for each attempt whether it is possible in a sandbox. `UsageError` where there is none of that kind."""
    use_sandbox(kind)
    program = [sys.executable, escapes.__file__]
    return attempts(sandboxed(program)[: -len(program)])


def attempts(command: Sequence[str]) -> dict[str, bool]:
    """Let a program try to escape, and return for each attempt whether it was possible.

    `command` is put before the program's own: that of a sandbox, or nothing.
    """
    with _bait() as bait:
        program = [*command, sys.executable, "-I", escapes.__file__, json.dumps(bait)]
        run = guarded(program)
        environment = os.environ | {bait["variable"]: "secret"}
        process = run.start(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        try:
            output, errors = process.communicate(timeout=LIMIT_S)
        finally:
            run.end(process)
    try:
        tried: dict[str, bool] = json.loads(output)
    except ValueError:
        lines = errors.decode(errors="replace").strip().splitlines() or ["nothing"]
        raise UsageError(f"the attempts could not be made; the program said: {lines[-1]}") from None
    python = [*command, sys.executable, "-I", "-c"]
    return tried | {
        "take more memory than its limit": _unbounded([*python, GREEDY]),
        "start processes without end": _unbounded([*python, FORKING]),
        "use more than one core": _cores_used([*python, BUSY]) > MUCH,
    }


def _unbounded(command: Sequence[str]) -> bool:
    """Return whether a program that goes beyond the limits of its guard is not stopped."""
    run = guarded(command, Bounds(MEMORY_BYTES, PROCESSES))
    process = run.start(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    fate = run.fate(LIMIT_S)
    run.end(process)
    return fate is None or not fate.excess


def _cores_used(command: Sequence[str]) -> float:
    """Return how many cores a program uses between its two bytes, as the kernel counts; 0 where it does not run."""
    run = guarded(command, Bounds(MEMORY_BYTES, PROCESSES, CORES))
    ours, theirs = os.pipe()
    process = run.start(stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    readings: list[tuple[float, float]] = []
    try:
        while len(readings) < 2 and select.select([ours], [], [], LIMIT_S)[0] and os.read(ours, 1):
            readings.append((time.monotonic(), used_time(tree(process.pid)[1:])))
    finally:
        run.end(process)
        os.close(ours)
    if len(readings) < 2:
        return 0.0
    (begin, before), (end, after) = readings
    return (after - before) / (end - begin)


@contextmanager
def _bait() -> Iterator[Mapping[str, Any]]:
    """Lay out what a program outside of a sandbox would find; yield what `escapes` is told of it."""
    marker = f"arena-{uuid.uuid4().hex[:12]}"
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=".arena-", dir=Path.home())))
        temporary = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-")))
        for folder in (home, temporary):
            (folder / "secret").write_text("secret")
        shared = Path("/dev/shm") / marker
        shared.write_text("secret")
        stack.callback(shared.unlink)
        opened = stack.enter_context((temporary / "open").open("w"))
        os.set_inheritable(opened.fileno(), True)
        words = [sys.executable, "-c", "import time; time.sleep(600)", marker]
        sleeper = stack.enter_context(subprocess.Popen(words, env=os.environ | {"MARKER": marker}))
        stack.callback(sleeper.kill)
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        yield {
            "marker": marker,
            "home_file": str(home / "secret"),
            "temporary_file": str(temporary / "secret"),
            "other_folder": str(temporary),
            "shared_memory": str(shared),
            "process": sleeper.pid,
            "variable": "ARENA_SECRET_FOR_ESCAPES",
            "inherited": opened.name,
            "port": server.getsockname()[1],
            "abstract": _listening(stack, f"\0{marker}")[1:],
            "socket": _listening(stack, str(temporary / "socket")),
            "segment": _segment(stack),
        }


def _listening(stack: ExitStack, address: str) -> str:
    """Listen on a Unix socket; return its address."""
    server = stack.enter_context(socket.socket(socket.AF_UNIX))
    server.bind(address)
    server.listen()
    return address


def _segment(stack: ExitStack) -> int:
    """Make a System V segment of shared memory; return its key."""
    library, key = ctypes.CDLL(None), uuid.uuid4().int & 0x7FFFFFFF
    number = library.shmget(key, 4096, IPC_CREATE)
    stack.callback(library.shmctl, number, IPC_REMOVE, None)
    return key
