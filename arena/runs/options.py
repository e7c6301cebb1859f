"""The options of trainings; nothing here imports torch."""

from dataclasses import dataclass
from pathlib import Path

from arena.config import require_at_least
from arena.errors import UsageError

GYM = "gym:"
"""Begins the names of Gymnasium's environments among tasks: gym:CartPole-v1."""


def default_folder(task: str, algo: str) -> Path:
    """Where a run lies if nobody says otherwise; `task` is the name of a game or of an environment."""
    return Path("runs") / f"{task.replace(':', '-').replace('/', '-')}-{algo}"


EVALUATION = ("random", "one-ply")
"""Agents that snapshots are measured against if nobody says otherwise, as far as they can play the game."""


@dataclass(frozen=True)
class RunOptions:
    """How long and where to train."""

    out: Path | None = None
    """Folder of the run; runs/TASK-ALGO by default."""
    resume: bool = False
    """Go on with the run in that folder, for longer if more steps and, in proportion, more snapshots are asked for."""
    seed: int = 0
    """Fixes the run, on a given machine with one thread."""
    steps: int = 100_000
    """Steps to be taken."""
    snapshots: int = 10
    """Checkpoints on the way, at equal distances."""
    threads: int = 0
    """Threads of torch; 0 for all cores."""
    device: str = "cpu"
    """Where torch computes: cpu, cuda, cuda:1."""

    def __post_init__(self) -> None:
        require_at_least(self, 1, "steps", "snapshots")
        require_at_least(self, 0, "seed", "threads")


@dataclass(frozen=True)
class GymRunOptions(RunOptions):
    """How to train in copies of one Gymnasium environment; its own steps are counted."""

    environments: int = 10
    """Copies of the environment that are stepped together."""
    moves: int = 100
    """Steps in each copy between two updates (on-policy algorithms)."""
    test_episodes: int = 20
    """Episodes that every snapshot is measured by, without exploration."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(self, 1, "environments", "moves", "test_episodes")


@dataclass(frozen=True)
class OfflineRunOptions(RunOptions):
    """How to learn from transitions that somebody else collected; gradient steps are counted."""

    data: Path | None = None
    """The transitions: a file that a buffer's save_hdf5 wrote ('arena collect' makes one)."""
    test_episodes: int = 20
    """Episodes that every snapshot is measured by (Gymnasium's environments)."""
    evaluation: tuple[str, ...] = EVALUATION
    """Agents that every snapshot is measured against (games); by default those of the two that can play the game."""
    evaluation_games: int = 100
    """Games of each measurement, half of them in either seat."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(self, 1, "test_episodes")
        require_even_games(self.evaluation_games)


def require_even_games(count: int, name: str = "evaluation_games") -> None:
    """`UsageError` unless so many games, an option of that name, can be shared by two seats."""
    if count < 2 or count % 2:
        raise UsageError(f"{name}={count} is not an even number above 0")
