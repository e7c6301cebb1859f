"""Runs as watchers see them: the list of runs, and the figures and log of one of them. Imports no torch."""

import os
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.base.errors import CheckpointError, UsageError
from arena.base.files import LARGE, open_regular, parse_json, read_json
from arena.base.text import printable
from arena.base.typed import Count, FieldError, as_type, field
from arena.match.verdict import MatchRecord
from arena.policy.snapshots import RETURN, count_snapshots
from arena.training.folder import FIGURES as PROGRESS
from arena.training.folder import LENGTH, STATE
from arena.training.live_files import FIGURES, GAME, LIVE, Status, read_game, read_status, with_new_names
from arena.training.options import DESCRIPTION
from games.engine.identity import GameId
from games.engine.text import message

LOG_LINES = 200
"""Number of log lines that are kept."""
CHUNK = 4_000_000
"""Largest number of bytes that are read at a time."""


@dataclass(frozen=True)
class FoundRun:
    """A run in a folder."""

    folder: Path
    game: str
    """Label of the game, or name of the Gymnasium environment."""
    algorithm: str
    status: Status
    league: bool = False
    """True if it plays games in a league: others have no ratings, and no games to look at."""

    @property
    def name(self) -> str:
        """Name of its folder, as screens show it."""
        return self.folder.name

    @property
    def agent(self) -> str:
        """Spec of its newest agent."""
        return f"{self.algorithm}:{self.folder}"


def find_runs(folder: Path) -> list[FoundRun]:
    """Return the runs in a folder of runs that can be read: active ones first, then the newest first."""
    return survey_runs(folder)[0]


def survey_runs(folder: Path) -> tuple[list[FoundRun], list[str]]:
    """Return the runs in a folder of runs as `find_runs` does, and the problem of each that cannot be read."""
    runs, problems = [], []
    for path in sorted(_folders(folder)):
        try:
            if (run := load_run(path)) is not None:
                runs.append(run)
        except CheckpointError as error:
            problems.append(message(error))
    return sorted(runs, key=lambda run: (not run.status.at_work, -run.status.time, run.name)), problems


def read_run(folder: Path) -> FoundRun | None:
    """Return the run in `folder`; None if there is none or it cannot be read."""
    try:
        return load_run(folder)
    except CheckpointError:
        return None


def load_run(folder: Path) -> FoundRun | None:
    """Return the run in `folder`; None if there is none. Raises `CheckpointError` if it cannot be read."""
    file = folder / DESCRIPTION
    if not file.exists():
        return None
    content = read_json(file)
    try:
        name = field(content, "game", str)
        game_options = as_type(content.get("options"), dict[str, Any] | None, "options") or {}
        algorithm = field(content, "solver" if "solver" in content else "algorithm", str)
        options = as_type(content.get("run"), dict[str, Any] | None, "run") or {}
        steps, snapshots = (as_type(options.get(key), Count | None, key) for key in LENGTH)
        status = read_status(folder) or _status_of_state(folder, steps, 1 if snapshots is None else snapshots)
    except FieldError as error:
        raise CheckpointError(f"{file} is not the description of a run: {error}") from None
    label = GameId(name, game_options).label if game_options else name
    return FoundRun(folder, label, algorithm, status, league="league" in content)


def _status_of_state(folder: Path, steps: int | None, total_snapshots: int) -> Status:
    """Return the status of a run that wrote none, from its newest snapshot and saved state."""
    step, evaluation = _saved_progress(folder / STATE / PROGRESS)
    snapshots = count_snapshots(folder)
    done = snapshots >= total_snapshots
    modified = 0.0
    with suppress(OSError):
        modified = folder.stat().st_mtime
    return Status(
        state="finished" if done else "killed",
        step=step,
        total_steps=step if steps is None else steps,
        snapshots=snapshots,
        rate=0.0,
        time=modified,
        start_time=modified,
        pid=0,
        evaluation=evaluation,
        measure="return" if RETURN in evaluation else "score",
    )


def _saved_progress(file: Path) -> tuple[int, Mapping[str, float]]:
    """Return steps and scores of a saved state; 0 and none if it cannot be read."""
    try:
        saved = read_json(file, LARGE)
        steps = [as_type(saved.get(key), Count | None, key) for key in ("env_step", "gradient_step")]
        evaluation = as_type(saved.get("evaluation"), Mapping[str, float] | None, "evaluation")
    except UsageError:
        return 0, {}
    return steps[0] or steps[1] or 0, evaluation or {}


class FollowedRun:
    """The figures, log and latest game of a run so far; `refresh` reads what is new."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.figures: dict[str, list[tuple[int, float]]] = {}
        """Steps and values of each figure, by name."""
        self.log: deque[str] = deque(maxlen=LOG_LINES)
        self.game: MatchRecord | None = None
        """The latest training game, as read: it has not been replayed."""
        self.run: FoundRun | None = None
        """The run with its status; None once its folder is gone."""
        self._offset = 0  # of the first byte of the figures that has not been read
        self._game_modified = 0

    def refresh(self) -> None:
        """Read what is new. If the run is gone, `run` becomes None and everything else stays."""
        self.run = read_run(self.folder)
        file = self.folder / LIVE / FIGURES
        with suppress(OSError), open_regular(file) as notes:
            size = os.fstat(notes.fileno()).st_size
            if size < self._offset:  # another run in the same folder
                self._offset = 0
                self.figures.clear()
                self.log.clear()
            notes.seek(self._offset)
            text = notes.read(CHUNK)
            complete = text[: text.rfind(b"\n") + 1]
            self._offset += len(complete)
            for line in complete.splitlines():
                self._add(line)
        with suppress(OSError):
            modified = (self.folder / LIVE / GAME).stat().st_mtime_ns
            if modified != self._game_modified:
                self._game_modified = modified
                self.game = read_game(self.folder) or self.game

    def _add(self, line: bytes) -> None:
        """Add one line of the figures file; skip it if it cannot be read."""
        with suppress(ValueError):
            note = with_new_names(as_type(parse_json(line), dict[str, Any], "note"))
            step = field(note, "step", Count)
            figures = as_type(note.get("figures", {}), Mapping[str, float], "figures")
            if "start_time" in note:  # the process starts again from `step`: later points are void
                for name, points in self.figures.items():
                    self.figures[name] = [point for point in points if point[0] <= step]
            if "message" in note:
                self.log.append(f"{step:>11,}  {printable(field(note, 'message', str))}")
            for name, value in figures.items():
                self.figures.setdefault(name, []).append((step, value))


def _folders(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from (path for path in folder.iterdir() if (path / DESCRIPTION).exists())
