"""How a training and those who watch it talk: files in `RUN/live`, each written by one side and read by the other.

    lock           held (flock) by the process that trains, so that its death is known at once
    status.json    where the training is, replaced about every half second
    figures.jsonl  a line for each note: {"step": 1024, "figures": {...}}, {"step": 1024, "said": "..."}; a process that
                   begins, or goes on, at a step says {"step": 0, "begun": TIME}: notes of later steps are void then
    game.json      the latest finished game of training: label, names, seed, actions and returns
    pause          there while the training is to rest
    snapshot       asks for a checkpoint, and is taken away when it is written
    stop           asks for the end, and is taken away then

Nothing here imports torch.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import IO, Any, Literal, get_args

from arena.errors import UsageError
from arena.match.verdict import MatchRecord, Verdict

try:
    import fcntl
except ImportError:  # Windows: a training is taken for dead when its status has been old for a while
    fcntl = None  # type: ignore[assignment]

LIVE, LOCK, STATUS, FIGURES, GAME = "live", "lock", "status.json", "figures.jsonl", "game.json"
SPEED = "speed/steps"
"""The figure of steps a second."""
Request = Literal["pause", "snapshot", "stop"]
REQUESTS: tuple[Request, ...] = get_args(Request)
State = Literal["running", "paused", "finished", "stopped", "failed", "killed"]
"""`killed`: it ended without a word. `stopped` and `killed` trainings go on with --resume."""
OLD_S = 120.0
"""Age of a status that nobody stands behind, where there are no locks."""


@dataclass(frozen=True)
class Status:
    """Where a training is."""

    state: State
    step: int
    """Steps taken."""
    total_steps: int
    snapshots: int
    """Snapshots written."""
    rate: float
    """Steps a second, lately."""
    time: float
    """When this was written, in seconds since 1970."""
    begun: float
    """When this process began to train."""
    pid: int
    evaluation: Mapping[str, float] = field(default_factory=dict)
    """The newest snapshot's scores by opponent, 0 to 1, or its mean `return`."""
    pool_score: float | None = None
    said: str = ""
    """Why it failed, in a line."""

    @property
    def at_work(self) -> bool:
        """Whether a process stands behind it."""
        return self.state in ("running", "paused")

    @property
    def share(self) -> str:
        """How far it is, in per cent; the last round may go beyond its end. Empty where nobody knows the end."""
        return f"{min(1.0, self.step / self.total_steps):.0%}" if self.total_steps else ""

    @property
    def left_s(self) -> float | None:
        """Seconds that the rest takes at this rate; None where that cannot be told."""
        left = self.total_steps - self.step
        return left / self.rate if self.rate > 0 and left > 0 and self.state == "running" else None


def write_whole(path: Path, content: Mapping[str, Any]) -> None:
    """Replace a file of JSON, whole or not at all; readers are never shown half of it."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(json.dumps(content), encoding="utf-8")
    os.replace(draft, path)


def read_status(folder: Path) -> Status | None:
    """The status of the run in `folder`; None where there is none (yet), or none that can be read."""
    told = read_json(folder / LIVE / STATUS)
    try:
        status = Status(**{f.name: told[f.name] for f in fields(Status) if f.name in told})
    except TypeError:
        return None
    if status.at_work and not _is_held(folder, status):
        return Status(**{**asdict(status), "state": "killed", "rate": 0.0})
    return status


def write_game(folder: Path, record: MatchRecord) -> None:
    """Keep the latest game of the training in `folder`."""
    told = {"game": record.game, "players": record.players, "seed": record.seed, "actions": record.actions}
    write_whole(folder / LIVE / GAME, told | {"returns": record.verdict.returns})


def read_game(folder: Path) -> MatchRecord | None:
    """The latest game of the training in `folder`, None if there is none; it has yet to be replayed to be believed."""
    told = read_json(folder / LIVE / GAME)
    try:
        actions, returns = tuple(map(int, told["actions"])), tuple(map(float, told["returns"]))
        return MatchRecord(
            str(told["game"]), tuple(map(str, told["players"])), int(told["seed"]), (), actions, Verdict(returns)
        )
    except (KeyError, TypeError, ValueError):
        return None


def request(folder: Path, what: Request, wanted: bool = True) -> None:
    """Ask the training in `folder` for something, or take that back; `UsageError` if its folder is gone."""
    file = folder / LIVE / what
    try:
        if wanted:
            file.touch()
        else:
            file.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: the training cannot be reached ({error.strerror})") from None


def requested(folder: Path, what: Request) -> bool:
    """Whether somebody asks for that."""
    return (folder / LIVE / what).exists()


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Be the one process that trains in `folder`; `UsageError` if there is one already."""
    (folder / LIVE).mkdir(parents=True, exist_ok=True)
    with (folder / LIVE / LOCK).open("w") as file:
        for attempt in range(10):  # a reader holds the lock for an instant while it looks
            if _locks(file, exclusive=True):
                break
            time.sleep(0.01 * attempt)
        else:
            raise UsageError(f"{folder} is being trained by another process; 'arena runs' shows it")
        yield


def _is_held(folder: Path, status: Status) -> bool:
    """Whether a process holds the lock of a run."""
    if fcntl is None:
        return time.time() - status.time < OLD_S
    with suppress(OSError), (folder / LIVE / LOCK).open("r") as file:
        return not _locks(file, exclusive=False)
    return False


def _locks(file: IO[str], exclusive: bool) -> bool:
    """Take the lock of a file until it is closed, if it is free."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def read_json(path: Path) -> dict[str, Any]:
    """What a file says; empty where there is none, or none that can be read."""
    with suppress(OSError, ValueError):
        told = json.loads(path.read_text(encoding="utf-8"))
        return told if isinstance(told, dict) else {}
    return {}
