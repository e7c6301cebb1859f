"""A program that is spoken to in lines of text, on its standard input and output."""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from dataclasses import dataclass

from agents.outside import guard
from arena.errors import UsageError

GAMES = "/usr/games"
"""Where Debian keeps programs that play, and where root does not look."""
START_LIMIT_S = 10.0
"""How long a program may take from its start to its first answer."""
LONGEST_LINE = 1_000_000
"""Bytes that a line may have; a program that says more in one is not listened to any further."""
LAST_WORDS = 2000
"""Bytes that are kept of the end of what a program writes to its standard error."""
PARTING_S = 1.0
"""How long a program that was told to leave may take."""


class ProgramError(RuntimeError):
    """A program that ended, or that said something it should not have; one line, which names it."""


@dataclass(frozen=True)
class Guarded:
    """A command that ends with this process, and all that it has started with it, even if this one is killed."""

    argv: list[str]
    """What to run instead of the command, as the leader of a session, with `pass_fds=(inherited,)`."""
    inherited: int
    """File descriptor to be passed on, and closed here once the program runs."""
    held: int
    """File descriptor whose closing kills the program."""


def guarded(command: Sequence[str]) -> Guarded:
    """Put a command below a guard of its own; the caller closes both descriptors."""
    inherited, held = os.pipe()
    return Guarded([sys.executable, "-I", "-S", guard.__file__, str(inherited), *command], inherited, held)


def found_program(agent: str, command: Sequence[str]) -> list[str]:
    """The command with its program's place; `UsageError` unless it names one that can be run here."""
    if os.name != "posix":
        raise UsageError(f"{agent}: programs are run on Linux and macOS alone")
    if not command:
        raise UsageError(f"{agent} needs a command, as in {agent}:./my-bot")
    place = shutil.which(command[0]) or shutil.which(command[0], path=GAMES)
    if place is None:
        there = os.path.isfile(command[0])
        raise UsageError(f"{agent}: {command[0]} {'may not be executed' if there else 'is not a program found here'}")
    return [place, *command[1:]]


class Program:
    """A running program.

    `tell` and `hear` raise `ProgramError` once it has ended. It is killed, with its whole process group, by `close`,
    when this object is forgotten, and when this process ends in any way.
    """

    def __init__(self, command: Sequence[str]):
        self.name = os.path.basename(command[0])
        self._said = bytearray()  # what has arrived of lines not yet heard
        self._complaints = bytearray()
        run = guarded(command)
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                run.argv, stdin=pipe, stdout=pipe, stderr=pipe, pass_fds=(run.inherited,), start_new_session=True
            )
        except BaseException:
            os.close(run.held)
            raise
        finally:
            os.close(run.inherited)
        assert self._process.stdout is not None
        self._poll = select.poll()  # `select` itself fails with many files open
        self._poll.register(self._process.stdout, select.POLLIN)
        self._end = weakref.finalize(self, _end, self._process, run.held)
        self._listener = threading.Thread(
            target=_keep_the_end, args=(self._process, self._complaints), name=f"stderr of {self.name}", daemon=True
        )
        self._listener.start()

    def tell(self, text: str) -> None:
        """Write `text` and an end of line."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(text.encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise self.ended() from None

    def hear(self, seconds: float | None = None) -> str:
        """The next line that it says, without its end; waits for it as long as it takes, or `seconds`."""
        assert self._process.stdout is not None
        deadline = None if seconds is None else time.monotonic() + seconds
        searched = 0
        while (end := self._said.find(b"\n", searched)) < 0:
            searched = len(self._said)
            if searched > LONGEST_LINE:
                raise ProgramError(f"{self.name} said more than {LONGEST_LINE} bytes without an end of line")
            left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
            try:
                if not self._poll.poll(left):
                    raise ProgramError(f"{self.name} said nothing for {seconds:g} s{self._last_words()}")
                arrived = os.read(self._process.stdout.fileno(), 1 << 16)
            except (OSError, ValueError):  # closed from another thread
                raise self.ended() from None
            if not arrived:
                raise self.ended()
            self._said += arrived
        line = self._said[:end].decode(errors="replace")
        del self._said[: end + 1]
        return line.rstrip("\r")

    def ended(self) -> ProgramError:
        """What became of it, to be raised by whoever needs it; ends what is left of it."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(PARTING_S)
        self._listener.join(PARTING_S)
        code = self._process.returncode
        self.close()
        if code is None:
            return ProgramError(f"{self.name} no longer listens or speaks, and was ended{self._last_words()}")
        signal_number = code - 128 if 128 < code < 160 else -code
        how = f"was ended by signal {signal_number}" if signal_number > 0 else f"ended with exit status {code}"
        return ProgramError(f"{self.name} {how}{self._last_words()}")

    def _last_words(self) -> str:
        """The last line of its standard error, to be put behind a message."""
        lines = self._complaints.decode(errors="replace").split("\n")
        said = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"; it said: {said[:300]}" if said else ""

    def close(self, farewell: str = "") -> None:
        """Tell it to leave, if a word for that is given, and kill what is left after a while."""
        if farewell and self._end.alive:
            assert self._process.stdin is not None
            with contextlib.suppress(ProgramError, OSError, subprocess.TimeoutExpired):
                self.tell(farewell)
                self._process.stdin.close()
                self._process.wait(PARTING_S)
        self._end()


def _end(process: "subprocess.Popen[bytes]", held: int) -> None:
    """Kill a program's process group and let go of its pipes."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    os.close(held)
    process.wait()
    for stream in (process.stdin, process.stdout):
        assert stream is not None
        with contextlib.suppress(OSError):
            stream.close()


def _keep_the_end(process: "subprocess.Popen[bytes]", kept: bytearray) -> None:
    """Read what a program writes to its standard error, all of it, and keep the end."""
    assert process.stderr is not None
    with process.stderr as stream:
        while arrived := os.read(stream.fileno(), 1 << 16):
            kept += arrived
            del kept[:-LAST_WORDS]
