"""Commands that outlive the screen: processes of their own whose output goes to a file."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.base.errors import UsageError
from arena.base.passwords import handed_on

ERROR = "arena: "
"""Beginning of the line in which a command says why it fails."""


@dataclass(frozen=True)
class CommandProcess:
    """A command that was started."""

    words: tuple[str, ...]
    log: Path
    """File of its output."""
    process: "subprocess.Popen[bytes]"

    @property
    def last_line(self) -> str:
        """The last line of its output."""
        lines = self._lines()
        return lines[-1].removeprefix(ERROR) if lines else f"it ended with status {self.process.returncode}"

    @property
    def has_started(self) -> bool:
        """True if it has said anything but that it fails."""
        lines = self._lines()
        return bool(lines) and not lines[-1].startswith(ERROR)

    @property
    def has_earlier_lines(self) -> bool:
        """True if its output has earlier lines."""
        return len(self._lines()) > 1

    def _lines(self) -> list[str]:
        return [line for line in self.output().splitlines() if line.strip()]

    def output(self) -> str:
        """Return its output so far."""
        try:
            return self.log.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""


def start(words: Sequence[str], log: Path) -> CommandProcess:
    """Start `arena WORDS` as a process that survives the screen and the terminal."""
    words, secret = handed_on(words)
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "arena", *words],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=os.environ | {"NO_COLOR": "1", "PYTHONUNBUFFERED": "1"} | secret,
                start_new_session=True,
            )
    except OSError as error:
        raise UsageError(f"{log}: commands cannot be started here ({error.strerror})") from None
    return CommandProcess(tuple(words), log, process)


def free_folder(folder: Path) -> Path:
    """Return `folder`, or the first of folder-2, folder-3, ... that does not exist."""
    number, free = 1, folder
    while free.exists():
        number += 1
        free = folder.with_name(f"{folder.name}-{number}")
    return free


def as_name(text: str) -> str:
    """Return `text` as part of a file name."""
    return re.sub(r"[^\w.-]+", "-", text).strip("-") or "job"
