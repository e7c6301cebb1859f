"""External programs that exchange lines of text on their standard input and output."""

import contextlib
import os
import select
import shlex
import shutil
import subprocess
import threading
import time
import weakref
from collections.abc import Sequence

from arena.base.errors import UsageError
from arena.processes.guarded import Guarded
from arena.processes.sandbox import guarded_program

GAMES_FOLDER = "/usr/games"
"""Debian's folder of game programs, which is not on root's search path."""
START_LIMIT_S = 60.0
"""Seconds from the start of a program to its first answer, at most: some load large networks or compile first."""
LONGEST_LINE = 1_000_000
"""Largest length of a line in bytes; a program that exceeds it has failed."""
STDERR_KEPT = 2000
"""Number of bytes kept from the end of a program's standard error."""
EXIT_LIMIT_S = 1.0
"""Seconds that a program may take to exit after it was asked to."""
ANSWER_LIMIT_S = 600.0
"""Seconds to wait for an answer when no clock is running."""


class ProgramError(RuntimeError):
    """Raised for a program that exited or broke the protocol; the message is one line that names the program."""


class SilentError(ProgramError, TimeoutError):
    """Raised for a program that does not answer in time."""


def split_command(agent: str, argument: str, line: str | None = None) -> list[str]:
    """Return the words of a command line as a shell would split it, without running one.

    `line` is the part of `argument`, what follows the agent's name in a spec, that is the command; by default all of
    it. Raises `UsageError`.
    """
    try:
        return shlex.split(argument if line is None else line)
    except ValueError as error:
        raise UsageError(f"{agent}:{argument}: {error}") from None


def resolve_command(agent: str, command: Sequence[str]) -> list[str]:
    """Return a command with the full path of its program; raise `UsageError` if it cannot be run here."""
    if os.name != "posix":
        raise UsageError(f"{agent}: programs run on Linux and macOS only")
    if not command:
        raise UsageError(f"{agent} needs a command, as in {agent}:./my-bot")
    place = shutil.which(command[0]) or shutil.which(command[0], path=GAMES_FOLDER)
    if place is None:
        there = os.path.isfile(command[0])
        raise UsageError(f"{agent}: {command[0]} {'may not be executed' if there else 'is not a program found here'}")
    return [place, *command[1:]]


class Program:
    """A running program.

    `send_line` and `read_line` raise `ProgramError` if it has exited and `SilentError` after a timeout. The program and
    all that it started are killed by `close`, when this object is collected, when this process ends in any way, and
    when they exceed the memory or number of processes of `default_bounds`. They run in the sandbox of
    `arena.processes.sandbox` if that is switched on.
    """

    def __init__(self, command: Sequence[str]):
        self.name = os.path.basename(command[0])
        self._received = bytearray()  # output not yet returned by `read_line`
        self._stderr = bytearray()
        self._run = guarded_program(command)
        pipe = subprocess.PIPE
        self._process = self._run.start(stdin=pipe, stdout=pipe, stderr=pipe)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        self._writable, self._readable = select.poll(), select.poll()  # `select` itself fails with many files open
        self._writable.register(self._process.stdin, select.POLLOUT)
        self._readable.register(self._process.stdout, select.POLLIN)
        self._end = weakref.finalize(self, _end, self._process, self._run)
        self._listener = threading.Thread(
            target=_read_stderr, args=(self._process, self._stderr), name=f"stderr of {self.name}", daemon=True
        )
        self._listener.start()

    def send_line(self, text: str, seconds: float = ANSWER_LIMIT_S) -> None:
        """Write `text` and an end of line; wait at most `seconds` for a program that does not read."""
        assert self._process.stdin is not None
        deadline = time.monotonic() + seconds
        unsent = text.encode() + b"\n"
        try:
            while unsent:
                if not self._writable.poll(_milliseconds(deadline)):
                    raise SilentError(f"{self.name} did not read its input for {seconds:g} s{self._stderr_note()}")
                unsent = unsent[os.write(self._process.stdin.fileno(), unsent) :]
        except SilentError:
            raise
        except (OSError, ValueError):
            raise self.ended() from None

    def read_line(self, seconds: float = ANSWER_LIMIT_S) -> str:
        """Return the next line of output, without its end; wait at most `seconds` for it."""
        assert self._process.stdout is not None
        deadline = time.monotonic() + seconds
        searched = 0
        while (end := self._received.find(b"\n", searched)) < 0:
            searched = len(self._received)
            if searched > LONGEST_LINE:
                raise ProgramError(f"{self.name} said more than {LONGEST_LINE} bytes without an end of line")
            try:
                if not self._readable.poll(_milliseconds(deadline)):
                    raise SilentError(f"{self.name} said nothing for {seconds:g} s{self._stderr_note()}")
                arrived = os.read(self._process.stdout.fileno(), 1 << 16)
            except SilentError:
                raise
            except (OSError, ValueError):  # closed from another thread
                raise self.ended() from None
            if not arrived:
                raise self.ended()
            self._received += arrived
        line = self._received[:end].decode(errors="replace")
        del self._received[: end + 1]
        return line.rstrip("\r")

    def has_ended(self) -> bool:
        """Return whether the program has exited, or was ended."""
        return not self._end.alive or self._run.has_ended()

    def ended(self) -> ProgramError:
        """End the program and return the error that says why it exited, for the caller to raise."""
        fate = self._run.fate(EXIT_LIMIT_S) if self._end.alive else None
        if fate is not None:
            self._listener.join(EXIT_LIMIT_S)
        self.close()
        if fate is None:
            return ProgramError(f"{self.name} closed its input or output, and was killed{self._stderr_note()}")
        killed = ", and was killed" if fate.excess else ""
        return ProgramError(f"{self.name} {fate}{killed}{self._stderr_note()}")

    def _stderr_note(self) -> str:
        """Return the last line of its standard error, as the end of a message."""
        lines = self._stderr.decode(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"; it said: {last[:300]}" if last else ""

    def close(self, farewell: str = "") -> None:
        """Send `farewell`, if given, and wait for the program to exit; then kill what is left."""
        if farewell and self._end.alive:
            assert self._process.stdin is not None
            with contextlib.suppress(ProgramError, OSError):
                self.send_line(farewell, EXIT_LIMIT_S)
                self._process.stdin.close()
                self._run.fate(EXIT_LIMIT_S)
        self._end()


def _milliseconds(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic()) * 1000


def _end(process: "subprocess.Popen[bytes]", run: Guarded) -> None:
    """Kill a program with all that it started, and close its pipes."""
    run.end(process)
    for stream in (process.stdin, process.stdout):
        assert stream is not None
        with contextlib.suppress(OSError):
            stream.close()


def _read_stderr(process: "subprocess.Popen[bytes]", kept: bytearray) -> None:
    """Read all of a program's standard error and keep its end."""
    assert process.stderr is not None
    with process.stderr as stream:
        while arrived := os.read(stream.fileno(), 1 << 16):
            kept += arrived
            del kept[:-STDERR_KEPT]
