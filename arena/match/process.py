"""A process that holds one agent: lines of JSON to it and back, under deadlines, until it is killed with all it began.

It inherits no secrets of the environment and no open files, and what comes from it is read as JSON and nothing else.
This contains accidents. It is no security boundary: the process runs as the same user, and may read and write files and
use the network. Agents that are not trusted belong in a container or a virtual machine as a whole.
"""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
import weakref
from io import FileIO
from typing import IO, Any

from arena.match.process_tree import kill_tree, require_linux, tree, used_memory

PROGRAM = (sys.executable, "-P", "-m", "arena.match.inside")
INHERITED = {"PATH", "HOME", "LANG", "TZ", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV", "LD_LIBRARY_PATH"}
INHERITED |= {"ARENA_CACHE", "XDG_CACHE_HOME"}
"""Of the environment, only these (and LC_...) are handed on."""
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
OUTPUT_BYTES = 16 * 2**20
"""Most that an agent may print in a game."""
ANSWER_BYTES = 2**18
"""Most that an answer may take."""
TAIL_BYTES = 2000
"""What is kept of its output, to tell its last line."""
WATCH_S = 0.02
"""How often memory is measured."""
CLOSING_S = 1.0
"""How long it may take to close, and to end after its last word."""


class DiedError(Exception):
    """The process is gone; the message says how."""


class AgentProcess:
    """Starts the process; `memory_bytes` is the most that it and all it starts may hold together, None for any."""

    def __init__(self, memory_bytes: int | None = None):
        if memory_bytes is not None:
            require_linux("a limit of memory")
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            PROGRAM, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, env=_environment(), start_new_session=True
        )
        self._end = weakref.finalize(self, _kill, self._process)
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
        if memory_bytes is not None:
            watch = threading.Thread(target=_watch, args=(weakref.ref(self), memory_bytes), daemon=True)
            watch.start()

    def begin_game(self) -> None:
        """Count what it prints anew."""
        self._printed = 0

    def exchange(self, message: dict[str, Any], seconds: float | None) -> dict[str, Any]:
        """Send a message and wait for its answer, at most so many seconds (None: for ever).

        Raises `TimeoutError` if there is none by then, `DiedError` if the process is gone, prints or answers too much,
        or answers with what cannot be read. In all of these cases it has been killed.
        """
        self._number += 1
        deadline = None if seconds is None else time.monotonic() + seconds
        unsent = json.dumps(message | {"id": self._number}).encode() + b"\n"
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
        """Take in what it prints."""
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
        """The answer to the last message, if it is there; answers to others are passed over."""
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
                self._excess = "answered with garbage"
                raise self._dead()
            if answer.get("id") == self._number:
                return answer
        return None

    def _dead(self) -> DiedError:
        """What happened to it; what is left of it is killed."""
        gone = bool(self._excess) or _ended(self._process.pid, CLOSING_S)
        self.kill()
        code = self._process.returncode
        if self._excess:
            return DiedError(self._excess)
        if not gone:
            return DiedError("has closed its connection")
        how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"
        last = (self._tail.decode(errors="replace").strip().splitlines() or [""])[-1]
        return DiedError(f"{how}: {last}" if last else how)

    def close(self) -> None:
        """Let the agent put its things in order, then kill it: what it started is found for as long as it lives."""
        if self._end.alive:
            with contextlib.suppress(TimeoutError, DiedError):
                self.exchange({"close": True}, CLOSING_S)
            self.kill()

    def kill(self) -> None:
        """Kill it and everything that it started."""
        self._end()
        self._selector.close()
        for file in (self._requests, self._answers, self._output):
            file.close()

    def hurry(self) -> None:
        """Ask from another thread that what is under way be answered at once."""
        with self._sending:
            if self._end.alive and not self._half_sent:
                with contextlib.suppress(OSError, ValueError):  # it has no room for this, or has just ended
                    os.write(self._requests.fileno(), b'{"hurry": true}\n')

    def stop(self) -> None:
        """Kill it from another thread: whoever waits for an answer sees that it is gone."""
        if self._end.alive:
            self._excess = "was stopped"
            kill_tree(self._process.pid)

    def watch(self, memory_bytes: int) -> bool:
        """Kill it if it holds more memory than that; whether there is something left to watch."""
        if self._end.alive and used_memory(tree(self._process.pid), memory_bytes) > memory_bytes:
            self._excess = f"used more than {memory_bytes / 1e6:,.0f} MB of memory"
            kill_tree(self._process.pid)  # whoever waits for an answer sees that it is gone, and tells why
            return False
        return self._end.alive


def _watch(link: "weakref.ref[AgentProcess]", memory_bytes: int) -> None:
    """Look after the memory of a process for as long as somebody has it."""
    while (process := link()) is not None and process.watch(memory_bytes):
        del process
        time.sleep(WATCH_S)


def _ended(pid: int, seconds: float) -> bool:
    """Whether a process ends within so many seconds; its number stays taken, so that its group can be killed still."""
    deadline = time.monotonic() + seconds
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def _kill(process: "subprocess.Popen[bytes]") -> None:
    kill_tree(process.pid)
    process.wait()


def _opened(file: IO[bytes] | None) -> FileIO:
    """A pipe's end that never blocks."""
    assert isinstance(file, FileIO)
    os.set_blocking(file.fileno(), False)
    return file


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in INHERITED or name.startswith("LC_")}
    return kept | ONE_THREAD
