"""Options of trainings; nothing here imports torch."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from arena.base.checks import numbers_in, require_at_least
from arena.base.errors import UsageError
from arena.base.text import file_name
from arena.training.gym_names import short_task
from games.engine.source_files import short_name, stored_name

if TYPE_CHECKING:
    from arena.policy.registration import Task

LoggerName = Literal["tensorboard", "csv", "wandb"]
USUAL_LOGGER: LoggerName = "tensorboard"
"""Logger of a training that is given none."""


def default_folder(task: str, algo: str) -> Path:
    """Return the default folder of a run; `task` is the name of a game or of an environment."""
    return Path("runs") / file_name(f"{short_task(task)}-{short_name(algo)}")


EVALUATION = ("random", "one-ply")
"""Default agents that snapshots are evaluated against; those that cannot play the game are left out."""


@dataclass(frozen=True)
class RunOptions:
    """Length and place of a training."""

    out: Path | None = None
    """Folder of the run; by default runs/TASK-ALGO."""
    resume: bool = False
    """Resume the run in that folder, with the options that it has; more steps make it longer."""
    seed: int = 0
    """Random seed; with --threads 1 it makes the run repeatable on the same machine."""
    steps: int = 100_000
    """Number of steps to train for."""
    snapshots: int | None = None
    """Number of checkpoints, evenly spaced; by default 10, and fewer in a run too short for them."""
    threads: int = 0
    """Number of torch threads; 0 for one per core."""
    device: str = "cpu"
    """Device that torch computes on: cpu, cuda, cuda:1, or auto for a GPU if torch finds one. On cuda, ppo, a2c, npg
    and trpo have the games of this package there as well."""
    network: str = ""
    """Function that makes the body of the network from the spaces of observations and actions, my_nets.py:make; by
    default the algorithm's own."""

    usual_snapshots: ClassVar[int] = 10
    """Number of checkpoints where none is given, if the run is long enough."""

    def __post_init__(self) -> None:
        require_at_least(1, **numbers_in(self, "steps", "snapshots"))
        require_at_least(0, **numbers_in(self, "seed", "threads"))

    @property
    def num_snapshots(self) -> int:
        """Number of checkpoints."""
        return self.usual_snapshots if self.snapshots is None else self.snapshots


DESCRIPTION, LOGGER = "run.json", "logger.txt"
"""Files in the folder of a run: what it was begun with, and the name of the logger that it had last."""
RESOURCES = "resources"
"""Entry of `run.json` for options that may change when a run is resumed, such as threads and workers."""


def describe_run(task: "Task", algo: str, config: Any, options: RunOptions) -> dict[str, Any]:
    """Return the contents of `run.json`: all options that influence the result, and what is used of the machine.

    The network that the user brings is left to `TrainingSetup`, which knows its whole name.
    """
    run = {key: str(value) if isinstance(value, Path) else value for key, value in asdict(options).items()}
    del run["out"], run["resume"], run["network"]
    return {
        "game": task.name,
        "options": dict(task.options),
        "algorithm": stored_name(algo),
        "config": asdict(config),
        RESOURCES: {key: run.pop(key) for key in ("threads", "device")},
        "run": run,
    }


@dataclass(frozen=True)
class GymRunOptions(RunOptions):
    """Options of a training in a Gymnasium environment; `steps` counts environment steps."""

    environments: int = 10
    """Number of copies of the environment, stepped together."""
    moves: int = 100
    """Steps in each copy between two updates (on-policy algorithms)."""
    test_episodes: int = 20
    """Number of episodes that each snapshot is evaluated in, without exploration."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(1, **numbers_in(self, "environments", "moves", "test_episodes"))


@dataclass(frozen=True)
class OfflineRunOptions(RunOptions):
    """Options of learning from stored transitions; `steps` counts gradient steps."""

    data: Path | None = None
    """HDF5 file of transitions, as 'arena collect' or a buffer's save_hdf5 writes it."""
    test_episodes: int = 20
    """Number of episodes that each snapshot is evaluated in (Gymnasium environments)."""
    evaluation: tuple[str, ...] = EVALUATION
    """Agents that each snapshot is evaluated against (games); the default ones only if they can play the game."""
    evaluation_games: int = 100
    """Number of games against each of them, equally many from every seat."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(1, **numbers_in(self, "test_episodes"))
        require_even_games(self.evaluation_games)


def require_even_games(count: int, name: str = "evaluation_games") -> None:
    """Raise `UsageError` unless the number of games, the option `name`, is even and above 0."""
    if count < 2 or count % 2:
        raise UsageError(f"{name}={count} is not an even number above 0")
