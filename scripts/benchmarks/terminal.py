"""A program in a pseudo-terminal, timed from outside."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Sequence

LIMIT_S = 60


def first_picture(
    words: Sequence[str], mark: str, folder: str, size: tuple[int, int] = (80, 24)
) -> Callable[[], float]:
    """Return a loop that runs a command until `mark` is on the screen, returns the seconds, and kills it."""

    def run() -> float:
        start = time.perf_counter()
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(folder)
            os.environ["TERM"] = "xterm-256color"
            os.execvp(words[0], words)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        received = b""
        try:
            while mark.encode() not in received:
                left = LIMIT_S - (time.perf_counter() - start)
                if left <= 0 or not select.select([terminal], [], [], left)[0]:
                    raise RuntimeError(f"{' '.join(words)} does not show {mark!r} within {LIMIT_S} s")
                received += os.read(terminal, 65536)
            return time.perf_counter() - start
        finally:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            os.close(terminal)

    return run


def output(words: Sequence[str], size: tuple[int, int] = (80, 24)) -> str:
    """Return everything that a command writes to a terminal until it ends."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execvp(words[0], words)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    received = b""
    try:
        while chunk := os.read(terminal, 65536):
            received += chunk
    except OSError:  # it has ended
        pass
    os.waitpid(process, 0)
    os.close(terminal)
    return received.decode(errors="replace")
