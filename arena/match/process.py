"""A process with one agent: lines of JSON to it and back, under deadlines. It is killed with all its children.

It inherits no open files, no secrets of the environment but those that its agent is there to use, and its output is
parsed as JSON only.
This contains accidents. It is no security boundary: the process runs as the same user, and may read and write files and
use the network. Agents that are not trusted belong in a container or a virtual machine as a whole.
"""

import contextlib
import json
import os
import selectors
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Collection
from io import FileIO
from typing import IO, Any

from arena.base.errors import UsageError
from arena.processes.fate import Fate
from arena.processes.guarded import Bounds, Guarded, default_bounds, guarded
from arena.processes.tree import kill_tree

PROGRAM = (sys.executable, "-P", "-m", "arena.match.inside")
INHERITED = {"PATH", "HOME", "LANG", "TZ", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV", "LD_LIBRARY_PATH"}
INHERITED |= {"ARENA_CACHE", "ARENA_SANDBOX", "ARENA_TRUST", "ARENA_ZOO", "XDG_CACHE_HOME", "XDG_DATA_HOME"}
"""Environment variables that the process inherits, besides LC_..."""
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
OUTPUT_BYTES = 16 * 2**20
"""Most that an agent may print in a game."""
ANSWER_BYTES = 2**22
"""Most that an answer may take."""
TAIL_BYTES = 2000
"""Bytes of output kept, to report its last line."""
CLOSING_S = 1.0
"""Seconds that it may take to close, and to exit after its last message."""


class DiedError(Exception):
    """Raised when the process is gone; the message says why."""


class AgentProcess:
    """A process with one agent; `memory_bytes` limits it and all its children, None means `default_bounds`.

    It inherits the environment `variables` that its agent needs besides those of every process.
    """

    def __init__(self, memory_bytes: int | None = None, variables: Collection[str] = ()):
        if memory_bytes is not None and not sys.platform.startswith("linux"):
            raise UsageError(f"a limit of memory needs Linux, which tells what processes use; here is {sys.platform}")
        pipe = subprocess.PIPE
        self._run = guarded(PROGRAM, default_bounds() if memory_bytes is None else Bounds(memory_bytes))
        self._process = self._run.start(stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, env=_environment(variables))
        self._end = weakref.finalize(self, Guarded.end, self._run, self._process)
        self._requests, self._answers, self._output = (
            _opened(file) for file in (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        self._selector = selectors.DefaultSelector()
        for file in (self._answers, self._output):
            self._selector.register(file, selectors.EVENT_READ)
        self._number = 0
        self._sending = threading.Lock()
        self._half_sent = False
        self._read, self._tail, self._printed = b"", b"", 0
        self._excess = ""

    def begin_game(self) -> None:
        """Reset the count of bytes printed."""
        self._printed = 0

    def exchange(self, message: dict[str, Any], seconds: float | None) -> dict[str, Any]:
        """Send a message and wait at most `seconds` for its answer, without limit if None.

        Raises `TimeoutError` if none comes, `DiedError` if the process is gone, prints or answers too much, or sends
        malformed JSON. In all of these cases the process has been killed.
        """
        self._number += 1  # so that a late answer to an earlier message is known as one
        deadline = None if seconds is None else time.monotonic() + seconds
        unsent = json.dumps(message | {"id": self._number}).encode() + b"\n"
        # Reading while writing: an agent that fills its output before it reads would wait for us, and we for it.
        self._selector.register(self._requests, selectors.EVENT_WRITE)
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                self.kill()
                raise TimeoutError
            for key, _ in self._selector.select(left):
                if key.fileobj is self._requests:
                    unsent = self._send(unsent)
                elif key.fileobj is self._output:
                    self._drain()
                elif (answer := self._take()) is not None:
                    return answer

    def _send(self, unsent: bytes) -> bytes:
        try:
            with self._sending:
                unsent = unsent[os.write(self._requests.fileno(), unsent) :]
                self._half_sent = bool(unsent)
        except BrokenPipeError:
            raise self._dead() from None
        if not unsent:
            self._selector.unregister(self._requests)
        return unsent

    def _drain(self) -> None:
        """Read what the process prints."""
        chunk = self._output.read(2**16)
        if not chunk:
            self._selector.unregister(self._output)
            return
        self._printed += len(chunk)
        self._tail = (self._tail + chunk)[-TAIL_BYTES:]
        if self._printed > OUTPUT_BYTES:
            self._excess = f"printed more than {OUTPUT_BYTES // 2**20} MB"
            raise self._dead()

    def _take(self) -> dict[str, Any] | None:
        """Return the answer to the last message if it has come; skip answers to earlier ones."""
        chunk = self._answers.read(ANSWER_BYTES)
        if not chunk:
            raise self._dead()
        *lines, self._read = (self._read + chunk).split(b"\n")
        if len(self._read) > ANSWER_BYTES:
            self._excess = f"answered with more than {ANSWER_BYTES // 2**10} KB"
            raise self._dead()
        for line in lines:
            try:
                answer = json.loads(line)
            except (ValueError, RecursionError):
                answer = None
            if not isinstance(answer, dict):
                self._excess = "sent a malformed answer"
                raise self._dead()
            if answer.get("id") == self._number:
                return answer
        return None

    def _dead(self) -> DiedError:
        """Kill what is left of the process; return an error that says why it died."""
        fate = Fate(excess=self._excess) if self._excess else self._run.fate(CLOSING_S)
        self.kill()
        if fate is None:
            return DiedError("has closed its connection")
        if fate.code is None:
            return DiedError(str(fate))
        last = (self._tail.decode(errors="replace").strip().splitlines() or [""])[-1]
        return DiedError(f"{fate}: {last}" if last else str(fate))

    def close(self) -> None:
        """Let the agent close, then kill it and its children, which can be found only while it lives."""
        if self._end.alive:
            with contextlib.suppress(TimeoutError, DiedError):
                self.exchange({"close": True}, CLOSING_S)
            self.kill()

    def kill(self) -> None:
        """Kill the process and all its children."""
        self._end()
        self._selector.close()
        for file in (self._requests, self._answers, self._output):
            file.close()

    def hurry(self) -> None:
        """Ask, from another thread, for an answer to the pending request at once."""
        with self._sending:
            if self._end.alive and not self._half_sent:  # else it would land in the middle of a message
                with contextlib.suppress(OSError, ValueError):  # its pipe is full, or it has just ended
                    os.write(self._requests.fileno(), b'{"hurry": true}\n')

    def stop(self) -> None:
        """Kill the process from another thread; a pending `exchange` raises `DiedError`."""
        if self._end.alive:
            self._excess = "was stopped"
            kill_tree(self._process.pid)


def _opened(file: IO[bytes] | None) -> FileIO:
    """Return a pipe's end, made non-blocking."""
    assert isinstance(file, FileIO)
    os.set_blocking(file.fileno(), False)
    return file


def _environment(variables: Collection[str]) -> dict[str, str]:
    inherited = INHERITED.union(variables)
    kept = {name: value for name, value in os.environ.items() if name in inherited or name.startswith("LC_")}
    return kept | ONE_THREAD
