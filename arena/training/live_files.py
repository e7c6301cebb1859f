"""Files in `RUN/live` by which a training and its watchers communicate; each is written by one side alone.

    lock           locked (flock) by the process that trains, so that watchers notice at once when it dies
    status.json    state and progress of the training, replaced about every half second
    figures.jsonl  one line for each entry: {"step": 1024, "figures": {...}} or {"step": 1024, "message": "..."};
                   a process that starts or resumes writes {"step": 0, "start_time": TIME}, which voids entries of
                   later steps
    game.json      the latest finished training game: label, names, seed, actions and returns
    pause          exists while the training shall pause
    snapshot       asks for a checkpoint; removed when it is written
    stop           asks the training to stop; removed when it does

Nothing here imports torch.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Annotated, Any, Literal, get_args

from arena.base.errors import UsageError
from arena.base.files import LARGE, open_regular, read_json, reason
from arena.base.saving import replace_text
from arena.base.typed import Count, Range, Time, record
from arena.base.typed import field as typed
from arena.match.verdict import MatchRecord, Verdict
from arena.training.scores import Measure
from games.engine.file_lock import LOCKS, lock_now

LIVE, LOCK, STATUS, FIGURES, GAME = "live", "lock", "status.json", "figures.jsonl", "game.json"
WRITTEN = LOCK, STATUS, FIGURES, GAME
"""Files that the training writes."""
SPEED, GAMES_SPEED = "speed/steps", "speed/games"
"""Names of the figures for steps and for games or episodes per second."""
Request = Literal["pause", "snapshot", "stop"]
REQUESTS: tuple[Request, ...] = get_args(Request)
State = Literal["running", "paused", "finished", "stopped", "failed", "killed"]
"""States of a training. `killed`: its process died. `stopped` and `killed` trainings can be resumed."""
Seed = Annotated[int, Range(0, 2**64 - 1)]
FORMER_NAMES = {"begun": "start_time", "said": "message"}
"""Names of entries in files of earlier versions, and what they are called now."""
TRIES, WATCHED_TRIES = 10, 100
"""Tries to lock a training that another one has locked, and one that watchers look at."""
OLD_S = 120.0
"""Age in seconds from which a status counts as that of a dead process, on systems without locks."""


@dataclass(frozen=True)
class Status:
    """State and progress of a training."""

    state: State
    step: Count
    """Number of steps taken."""
    total_steps: Count
    snapshots: Count
    """Number of snapshots written."""
    rate: float
    """Steps per second, lately."""
    time: Time
    """Time of writing, in seconds since 1970."""
    start_time: Time
    """Time when this process started to train, in seconds since 1970."""
    pid: Count
    evaluation: Mapping[str, float] = field(default_factory=dict)
    """Scores of the newest snapshot, as in `Progress.evaluation`."""
    measure: Measure = "score"
    """What snapshots are measured by."""
    pool_score: float | None = None
    elo_zero: str | None = None
    """In a league, the agent whose Elo is 0."""
    message: str = ""
    """Reason of a failure, in one line."""

    @property
    def at_work(self) -> bool:
        """True if a process is training, or pauses."""
        return self.state in ("running", "paused")

    @property
    def share(self) -> str:
        """Progress in per cent, at most 100 although the last round may go beyond; empty if the total is unknown."""
        return f"{min(1.0, self.step / self.total_steps):.0%}" if self.total_steps else ""

    @property
    def left_s(self) -> float | None:
        """Estimated seconds to the end at this rate; None if it cannot be estimated."""
        remaining = self.total_steps - self.step
        return remaining / self.rate if self.rate > 0 and remaining > 0 and self.state == "running" else None


def replace_json(path: Path, content: Mapping[str, Any]) -> None:
    """Replace a JSON file atomically, without waiting for the disk: it is soon written again."""
    replace_text(path, json.dumps(content), durable=False)


def read_status(folder: Path) -> Status | None:
    """Return the status of the run in `folder`; None if there is none or it cannot be read."""
    try:
        status = record(Status, with_new_names(read_json(folder / LIVE / STATUS)))
    except UsageError:
        return None
    if status.at_work and not _is_running(folder, status):
        return Status(**{**asdict(status), "state": "killed", "rate": 0.0})
    return status


def with_new_names(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record of a file, which an earlier version may have written, with the entries' names of this one."""
    return {FORMER_NAMES.get(name, name): value for name, value in content.items()}


def write_game(folder: Path, record: MatchRecord) -> None:
    """Write the latest game of the training in `folder`."""
    content = {"game": record.game, "players": record.players, "seed": record.seed, "actions": record.actions}
    replace_json(folder / LIVE / GAME, content | {"returns": record.verdict.returns})


def read_game(folder: Path) -> MatchRecord | None:
    """Return the latest game of the training in `folder`, None if there is none; it is not checked by replaying it."""
    try:
        content = read_json(folder / LIVE / GAME, LARGE)
        players, seed = typed(content, "players", tuple[str, ...]), typed(content, "seed", Seed)
        actions, returns = (
            typed(content, "actions", tuple[Count | tuple[float, ...], ...]),
            typed(content, "returns", tuple[float, ...]),
        )
        if len(players) != len(returns):
            return None
        return MatchRecord(typed(content, "game", str), players, seed, (), actions, Verdict(returns))
    except UsageError:
        return None


def request(folder: Path, what: Request, wanted: bool = True) -> None:
    """Make a request to the training in `folder`, or withdraw it; raise `UsageError` if the folder is gone."""
    file = folder / LIVE / what
    try:
        if wanted:
            file.touch()
        else:
            file.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: the training cannot be reached ({error.strerror})") from None


def requested(folder: Path, what: Request) -> bool:
    """Return whether a watcher requests this."""
    return (folder / LIVE / what).exists()


@contextmanager
def training_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of the process that trains in `folder`; raise `UsageError` if another process has it."""
    try:
        (folder / LIVE).mkdir(parents=True, exist_ok=True)
        lock = open_regular(folder / LIVE / LOCK, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise UsageError(f"{folder / LIVE}: no training can be watched here ({reason(error)})") from None
    with lock as file:
        _lock_alone(folder, file)
        yield


def _lock_alone(folder: Path, file: IO[bytes]) -> None:
    """Lock the file of a training; raise `UsageError` if another training has it.

    Watchers share the lock while they check it: for an instant, but on a busy machine one may be halted just then. A
    lock that can be shared is theirs, and is waited for; a training has it alone.
    """
    refused = waited = 0
    while not _try_lock(file, exclusive=True):
        waited += 1
        refused += not _try_lock(file, exclusive=False)
        if refused == TRIES or waited == WATCHED_TRIES:
            raise _busy(folder)
        time.sleep(0.01 * min(waited, TRIES))


def require_idle(folder: Path) -> None:
    """Raise `UsageError` if a process trains in `folder`."""
    if LOCKS and _is_locked(folder):
        raise _busy(folder)


def _busy(folder: Path) -> UsageError:
    return UsageError(f"{folder} is being trained by another process; 'arena runs' shows it")


def append_line(path: Path, line: str) -> None:
    """Append a line of text to a file of a run; if a killed process left half a line, end that first."""
    with open_regular(path, os.O_RDWR | os.O_CREAT | os.O_APPEND) as file:
        half = file.seek(0, os.SEEK_END) > 0 and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n"
        file.write(("\n" if half else "").encode() + line.encode() + b"\n")


def _is_running(folder: Path, status: Status) -> bool:
    """Return whether a process holds the lock of a run; without locks, whether its status is younger than `OLD_S`."""
    return _is_locked(folder) if LOCKS else time.time() - status.time < OLD_S


def _is_locked(folder: Path) -> bool:
    with suppress(OSError), open_regular(folder / LIVE / LOCK) as file:
        return not _try_lock(file, exclusive=False)
    return False


def _try_lock(file: IO[bytes], exclusive: bool) -> bool:
    """Lock a file until it is closed; return False if another process has locked it."""
    try:
        lock_now(file, exclusive)
    except OSError:
        return False
    return True
