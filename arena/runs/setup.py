"""`TrainingSetup`: what all parts of a training share, from the task to the device."""

import dataclasses
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch

from arena.base.errors import UsageError
from arena.base.memory import keep_freed_memory
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import SHARED, build_policy
from arena.policy.network import named_network
from arena.policy.registration import Algorithm, SpacedTask, Spaces
from arena.policy.registry import learning_algorithm
from arena.policy.size import weights_within
from arena.policy.torch_modes import choose_threads
from arena.runs.options import RunOptions, default_folder
from games.engine.game import Game

TaskT_co = TypeVar("TaskT_co", bound=Game | SpacedTask, covariant=True)
OptionsT_co = TypeVar("OptionsT_co", bound=RunOptions, covariant=True)
TaskT = TypeVar("TaskT", bound=Game | SpacedTask)
OptionsT = TypeVar("OptionsT", bound=RunOptions)


@dataclasses.dataclass(frozen=True)
class TrainingSetup(Generic[TaskT_co, OptionsT_co]):
    """The task of a training, its algorithm with the config, and the options of the run; made by `prepare`."""

    task: TaskT_co
    algo: str
    """Name of the algorithm."""
    config: Any
    """The algorithm's config dataclass."""
    options: OptionsT_co
    device: torch.device
    seats: str = SHARED
    """How networks hold the seats of the game, as in `arena.policy.checkpoint.layout`."""
    network: str = ""
    """Function of the user's that makes the bodies of networks, as `arena.policy.network` stores it; empty for none."""

    @cached_property
    def algorithm(self) -> Algorithm:
        """The algorithm."""
        return learning_algorithm(self.algo)

    @cached_property
    def spaces(self) -> Spaces:
        """Observation and action spaces of the task."""
        return Spaces.of_task(self.task)

    @property
    def folder(self) -> Path:
        """Folder of the run."""
        return self.options.out or default_folder(self.task.name, self.algo)

    def build_policy(self) -> BasePolicy:
        """Return a learner with initial weights; raise `UsageError` if it is too large."""
        with weights_within():
            policy = build_policy(self.algorithm, self.task, self.config, True, self.seats, self.network)
            return policy.to(self.device)

    def build_policy_from(self, seed: int) -> BasePolicy:
        """Return a learner with the initial weights of a seed; torch's own random stream is not touched."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return self.build_policy()

    def description(self) -> dict[str, Any]:
        """Return the contents of `run.json`: all options that influence the result."""
        run = dataclasses.asdict(self.options)
        for detail in ("out", "resume", "threads", "device", "network"):
            del run[detail]
        return {
            "game": self.task.name,
            "options": dict(self.task.options),
            "algorithm": self.algo,
            "config": dataclasses.asdict(self.config),
            "network": self.network or None,
            "run": {key: str(value) if isinstance(value, Path) else value for key, value in run.items()},
        }


def prepare(
    task: TaskT, algo: str, config: Any, options: OptionsT, seats: str = SHARED
) -> TrainingSetup[TaskT, OptionsT]:
    """Return the setup of a training, and set this process up for it: torch's threads, its memory and its random seed.

    `config` is None for the algorithm's usual one. The policy that is built next has the initial weights of the seed.
    Raises `UsageError` if there is no such algorithm, or the device cannot be used.
    """
    network = named_network(options.network)
    config = config or learning_algorithm(algo).usual_config(single=not isinstance(task, Game))
    setup = TrainingSetup(task, algo, config, options, torch_device(options.device), seats, network)
    choose_threads(options.threads or torch.get_num_threads())
    keep_freed_memory()
    torch.manual_seed(options.seed)
    return setup


def require_collecting(algo: str) -> None:
    """Raise `UsageError` if an algorithm learns only offline."""
    if learning_algorithm(algo).data == "offline":
        raise UsageError(f"{algo!r} learns offline, from transitions in a file: give --data FILE")


def torch_device(name: str) -> torch.device:
    """Return a torch device by name; raise `UsageError` if this machine lacks it."""
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0]
        raise UsageError(f"device {name!r} cannot be used here ({reason}); cpu always works") from None
    return device
