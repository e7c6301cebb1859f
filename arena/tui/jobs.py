"""Commands that outlive the screen: started as processes of their own, with what they print in a file."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.errors import UsageError


@dataclass(frozen=True)
class Job:
    """A command that was started."""

    words: tuple[str, ...]
    log: Path
    """Where its output goes."""
    process: "subprocess.Popen[bytes]"

    @property
    def said(self) -> str:
        """The last line of its output."""
        lines = self._lines()
        return lines[-1].removeprefix("arena: ") if lines else f"it ended with status {self.process.returncode}"

    @property
    def said_more(self) -> bool:
        """Whether there are lines before that."""
        return len(self._lines()) > 1

    def _lines(self) -> list[str]:
        return [line for line in self.output().splitlines() if line.strip()]

    def output(self) -> str:
        """What it has printed so far."""
        try:
            return self.log.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""


def start(words: Sequence[str], log: Path) -> Job:
    """Start `arena WORDS` on its own; it goes on when the screen is left, or the terminal closed."""
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "arena", *words],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=os.environ | {"NO_COLOR": "1", "PYTHONUNBUFFERED": "1"},
                start_new_session=True,
            )
    except OSError as error:
        raise UsageError(f"{log}: nothing can be started here ({error.strerror})") from None
    return Job(tuple(words), log, process)


def free_folder(folder: Path) -> Path:
    """`folder`, or the first of folder-2, folder-3, ... that is not there yet."""
    number, free = 1, folder
    while free.exists():
        number += 1
        free = folder.with_name(f"{folder.name}-{number}")
    return free


def as_name(text: str) -> str:
    """`text` as part of the name of a file."""
    return re.sub(r"[^\w.-]+", "-", text).strip("-") or "job"
