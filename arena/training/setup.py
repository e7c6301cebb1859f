"""`TrainingSetup`: what all parts of a training share, from the task to the device."""

import dataclasses
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from gymnasium.spaces import Box, Discrete

from arena.base.errors import UsageError
from arena.base.memory import keep_freed_memory
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import build_policy
from arena.policy.layout import SHARED, Holding, layout
from arena.policy.network import named_network
from arena.policy.registration import Algorithm, SpacedTask, Spaces
from arena.policy.registry import AGENTS, agent_kind, learning_algorithm
from arena.policy.size import weights_within
from arena.policy.torch_modes import choose_threads
from arena.training.options import RunOptions, default_folder, describe_run
from games.engine.game import Game
from games.engine.source_files import stored_name

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
    """How policies hold the seats of the game, as in `arena.policy.layout`; "shared" where one holds all."""
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

    def with_fitting_snapshots(self, steps: int, step_per_collect: int) -> "TrainingSetup[TaskT_co, OptionsT_co]":
        """Return the setup with as many snapshots as fit, unless their number is given.

        A learner takes `steps` in all and `step_per_collect` between two updates; there is one before every snapshot.
        """
        if self.options.snapshots is not None:
            return self
        fitting = max(1, min(self.options.num_snapshots, steps // step_per_collect))
        return dataclasses.replace(self, options=dataclasses.replace(self.options, snapshots=fitting))

    def description(self) -> dict[str, Any]:
        """Return the contents of `run.json`."""
        return {**describe_run(self.task, self.algo, self.config, self.options), "network": self.network or None}


def prepare(
    task: TaskT, algo: str, config: Any, options: OptionsT, seats: str = SHARED
) -> TrainingSetup[TaskT, OptionsT]:
    """Return the setup of a training, and set this process up for it.

    That is torch's threads, its precision on a GPU, its memory and its random seed.

    `config` is None for the algorithm's usual one. The policy that is built next has the initial weights of the seed.
    Raises `UsageError` if there is no such algorithm, or the device cannot be used.
    """
    network = named_network(options.network)
    algo = stored_name(algo)
    holdings = layout(task, seats) if isinstance(task, Game) else ()
    if isinstance(task, Game) and holdings:
        for holding in holdings:
            _require_learns(algo, task, holding)
    else:
        require_actions(algo, Spaces.of_task(task))
    seats = seats if holdings else SHARED
    config = config or learning_algorithm(algo).usual_config(single=not isinstance(task, Game))
    setup = TrainingSetup(task, algo, config, options, torch_device(options.device), seats, network)
    choose_threads(options.threads or torch.get_num_threads())
    if setup.device.type == "cuda":  # products of matrices with 10 bits after the point (TF32), as convolutions have
        torch.set_float32_matmul_precision("high")
    keep_freed_memory()
    torch.manual_seed(options.seed)
    return setup


def _require_learns(algo: str, game: Game, holding: Holding) -> None:
    """Raise `UsageError` if seats cannot be learned in a training of `algo`."""
    own = holding.algorithm or algo
    wanted, data = learning_algorithm(algo).data, learning_algorithm(own).data
    if data != wanted:
        raise UsageError(f"{own} learns {data} and {algo} {wanted}: one training collects for one of them")
    try:
        require_actions(own, Spaces.of_group(game, holding.group(game)))
    except UsageError as error:
        names = " and ".join(game.agents[seat] for seat in holding.seats)
        raise UsageError(f"{error}; that is so for {names}, and --seats names an algorithm for each") from None


def require_actions(algo: str, spaces: Spaces) -> None:
    """Raise `UsageError` if an algorithm is for continuous actions and these are numbered, or the reverse."""
    algorithm = learning_algorithm(algo)
    if "continuous" not in algorithm.actions and isinstance(spaces.action, Box):
        instead = _learners("continuous", algorithm.data)
        raise UsageError(f"{algo} is for numbered actions; these are continuous, {spaces.action}: use {instead}")
    if algorithm.actions == ("continuous",) and isinstance(spaces.action, Discrete):
        instead = f"discrete-{algo}" if f"discrete-{algo}" in AGENTS.names() else _learners("discrete", algorithm.data)
        raise UsageError(f"{algo} is for continuous actions; these are {spaces.action.n} numbered ones: use {instead}")


def _learners(actions: str, data: str) -> str:
    """Return the names of the algorithms for a kind of actions that learn offline, or those that do not."""
    known = {name: agent_kind(name).algorithm for name in AGENTS.names()}
    fitting = {name: one for name, one in known.items() if one is not None and actions in one.actions}
    return ", ".join(name for name, one in fitting.items() if (one.data == "offline") == (data == "offline"))


def require_collecting(algo: str) -> None:
    """Raise `UsageError` if an algorithm learns only offline."""
    if learning_algorithm(algo).data == "offline":
        raise UsageError(f"{algo!r} learns offline, from transitions in a file: give --data FILE")


def torch_device(name: str) -> torch.device:
    """Return a torch device by name, `auto` for a GPU if there is one; `UsageError` if this machine lacks it."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0]
        raise UsageError(f"device {name!r} cannot be used here ({reason}); cpu always works") from None
    return device
