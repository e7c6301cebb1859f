"""Runs as those who watch them see them: which there are, and what one of them has told. Nothing imports torch here."""

import json
import os
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.match.verdict import MatchRecord
from arena.policy.snapshots import count_snapshots
from arena.runs.folder import DESCRIPTION, STATE
from arena.runs.folder import FIGURES as PROGRESS
from arena.runs.live_files import FIGURES, GAME, LIVE, Status, read_game, read_json, read_status

LOG_LINES = 200
"""Lines of a log that are kept."""
CHUNK = 4_000_000
"""Bytes of notes that are read at a time."""


@dataclass(frozen=True)
class FoundRun:
    """A run in a folder."""

    folder: Path
    game: str
    """Its label, or that of Gymnasium's environment."""
    algorithm: str
    status: Status

    @property
    def name(self) -> str:
        """What it is called on screens: the name of its folder."""
        return self.folder.name

    @property
    def agent(self) -> str:
        """The spec of its newest agent."""
        return f"{self.algorithm}:{self.folder}"


def find_runs(folder: Path) -> list[FoundRun]:
    """The runs in a folder of runs, those at work first, then the newest first."""
    found = [run for path in _folders(folder) if (run := read_run(path)) is not None]
    return sorted(found, key=lambda run: (not run.status.at_work, -run.status.time, run.name))


def read_run(folder: Path) -> FoundRun | None:
    """The run in `folder`; None if there is none, or none that can be read."""
    told = read_json(folder / DESCRIPTION)
    name, algorithm, options, run = (told.get(key) for key in ("game", "algorithm", "options", "run"))
    if not isinstance(name, str) or not isinstance(algorithm, str):
        return None
    settled = ", ".join(f"{key}={value}" for key, value in options.items()) if isinstance(options, dict) else ""
    status = read_status(folder) or _silent(folder, run if isinstance(run, dict) else {})
    return FoundRun(folder, f"{name}({settled})" if settled else name, algorithm, status)


def _silent(folder: Path, asked: dict[str, Any]) -> Status:
    """The status of a run that was trained without telling: as of its newest snapshot."""
    reached = read_json(folder / STATE / PROGRESS)
    snapshots = count_snapshots(folder)
    step = reached.get("env_step") or reached.get("gradient_step") or 0
    done = snapshots >= asked.get("snapshots", 1)
    when = 0.0
    with suppress(OSError):
        when = folder.stat().st_mtime
    return Status(
        state="finished" if done else "killed",
        step=step,
        total_steps=asked.get("steps", step),
        snapshots=snapshots,
        rate=0.0,
        time=when,
        begun=when,
        pid=0,
        evaluation=reached.get("evaluation") or {},
    )


class FollowedRun:
    """What a run has told so far; `refresh` reads what is new."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.figures: dict[str, list[tuple[int, float]]] = {}
        """Steps and values of every figure."""
        self.log: deque[str] = deque(maxlen=LOG_LINES)
        self.game: MatchRecord | None = None
        """The latest game of training; not replayed yet."""
        self.found: FoundRun | None = None
        """The run with its status; None once its folder is gone."""
        self._read_to = 0
        self._game_at = 0

    def refresh(self) -> None:
        """Read what is new; a run that is gone leaves what was read, and `found` None."""
        self.found = read_run(self.folder)
        file = self.folder / LIVE / FIGURES
        with suppress(OSError), file.open("rb") as notes:
            size = os.fstat(notes.fileno()).st_size
            if size < self._read_to:  # another run in the same folder
                self._read_to = 0
                self.figures.clear()
                self.log.clear()
            notes.seek(self._read_to)
            text = notes.read(CHUNK)
            whole = text[: text.rfind(b"\n") + 1]
            self._read_to += len(whole)
            for line in whole.splitlines():
                self._take(line)
        with suppress(OSError):
            changed = (self.folder / LIVE / GAME).stat().st_mtime_ns
            if changed != self._game_at:
                self._game_at = changed
                self.game = read_game(self.folder) or self.game

    def _take(self, line: bytes) -> None:
        """Take in one note; one that cannot be read is passed over."""
        with suppress(ValueError, TypeError, KeyError):
            note = json.loads(line)
            step = int(note["step"])
            if "begun" in note:
                for name, points in self.figures.items():
                    self.figures[name] = [point for point in points if point[0] <= step]
            if "said" in note:
                self.log.append(f"{step:>11,}  {note['said']}")
            for name, value in note.get("figures", {}).items():
                self.figures.setdefault(str(name), []).append((step, float(value)))


def _folders(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from (path for path in folder.iterdir() if (path / DESCRIPTION).exists())
