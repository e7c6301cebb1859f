"""Base of all training loops: epochs, tests, hooks and progress, as an iterator."""

import sys
import time
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Protocol, TypedDict, TypeVar

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from arena.base.checks import numbers_in, require_at_least
from arena.base.errors import DivergedError, UsageError
from arena.base.terminal import make_console
from arena.collector.collector import Collector
from arena.collector.protocol import CollectorLike
from arena.data.statistics import MovAvg
from arena.data.stats import CollectStats
from arena.policy.base import BasePolicy
from arena.policy.divergence import broken_loss, broken_tensor
from arena.policy.torch_modes import settle_threads
from arena.trainer.evaluation import RewardMetric, gather_info, test_episode
from arena.trainer.logger import BaseLogger, LazyLogger, SaveCheckpoint

S = TypeVar("S")
EpochResult = tuple[int, dict[str, Any], dict[str, float | str]]
"""Number of the epoch, its figures, and the figures of the training so far (see `gather_info`).

Figures of an epoch are `rew` and `len` of the episodes collected last, `test`, the mean return of the test, and moving
averages of what `learn` returned.
"""


class CommonSchedule(Protocol):
    """Protocol of the settings that the schedules of all trainers share."""

    @property
    def max_epoch(self) -> int:
        """Number of epochs; a `stop_fn` may end the training earlier."""

    @property
    def episode_per_test(self) -> int:
        """Episodes per test."""

    @property
    def resume_from_log(self) -> bool:
        """Resume from the counters and the best test in the logger's files."""

    @property
    def verbose(self) -> bool:
        """Show progress on stderr: a bar on a terminal, otherwise a line for each epoch."""


@dataclass(frozen=True)
class Schedule:
    """Amounts of collecting, learning and testing."""

    max_epoch: int
    """Number of epochs; a `stop_fn` may end the training earlier."""
    step_per_epoch: int
    """Environment steps per epoch."""
    batch_size: int
    """Transitions per gradient step."""
    step_per_collect: int | None = None
    """Environment steps between two updates."""
    episode_per_collect: int | None = None
    """Episodes between two updates; exactly one of this and `step_per_collect` is given."""
    episode_per_test: int = 100
    """Episodes per test."""
    test_in_train: bool = True
    """Test early if the training returns reach the goal."""
    resume_from_log: bool = False
    """Resume from the counters and the best test in the logger's files."""
    verbose: bool = True
    """Show progress on stderr: a bar on a terminal, otherwise a line for each epoch."""

    def __post_init__(self) -> None:
        if (self.step_per_collect is None) == (self.episode_per_collect is None):
            raise UsageError(
                f"give one of step_per_collect={self.step_per_collect} and "
                f"episode_per_collect={self.episode_per_collect}"
            )
        chosen = "episode_per_collect" if self.step_per_collect is None else "step_per_collect"
        require_at_least(1, **numbers_in(self, "max_epoch", "step_per_epoch", "batch_size", "episode_per_test", chosen))


@dataclass(frozen=True)
class Hooks:
    """Callbacks of a training."""

    train_fn: Callable[[int, int], None] | None = None
    """Called before each collection with epoch and environment step."""
    test_fn: Callable[[int, int | None], None] | None = None
    """Called before each test with epoch and environment step."""
    stop_fn: Callable[[float], bool] | None = None
    """Return whether a mean test return is good enough to stop."""
    save_fn: Callable[[BasePolicy], None] | None = None
    """Called when the mean test return has improved."""
    save_checkpoint_fn: SaveCheckpoint | None = None
    """Called every `save_interval` epochs of the logger with epoch, environment step and gradient step."""
    reward_metric: RewardMetric | None = None
    """Maps vector returns to one figure per episode."""
    collect_fn: Callable[[CollectStats], None] | None = None
    """Called after each collection with its statistics."""


class HookOptions(TypedDict, total=False):
    """Keywords of all trainers in place of `Hooks`, whose fields they are."""

    test_fn: Callable[[int, int | None], None] | None
    stop_fn: Callable[[float], bool] | None
    save_fn: Callable[[BasePolicy], None] | None
    save_checkpoint_fn: SaveCheckpoint | None
    reward_metric: RewardMetric | None


class CollectingOptions(HookOptions, total=False):
    """Keywords of trainers that collect, in place of `Schedule` and `Hooks`, whose fields and defaults they are."""

    max_epoch: int
    step_per_epoch: int
    batch_size: int
    step_per_collect: int | None
    episode_per_collect: int | None
    episode_per_test: int
    test_in_train: bool
    resume_from_log: bool
    verbose: bool
    train_fn: Callable[[int, int], None] | None
    collect_fn: Callable[[CollectStats], None] | None


def schedule_and_hooks(
    kind: type[S], schedule: S | None, hooks: Hooks | None, options: Mapping[str, Any]
) -> tuple[S, Hooks]:
    """Return a schedule of this dataclass and hooks, each as given or else made of those `options` that are its fields.

    Raises `UsageError` for options that are unknown, missing, or given beside the object that they belong to.
    """
    parts: list[tuple[Any, Any, str]] = [(kind, schedule, "schedule"), (Hooks, hooks, "hooks")]
    known = {one.name for part, _, _ in parts for one in fields(part)}
    if unknown := sorted(options.keys() - known):
        raise UsageError(f"unknown option {unknown[0]}; known: {', '.join(sorted(known))}")
    made: list[Any] = []
    for part, given, name in parts:
        chosen = {one.name: options[one.name] for one in fields(part) if one.name in options}
        if given is not None and chosen:
            raise UsageError(f"give {name} or {', '.join(chosen)}, not both")
        required = {one.name for one in fields(part) if one.default is MISSING and one.default_factory is MISSING}
        if given is None and (missing := sorted(required - chosen.keys())):
            raise UsageError(f"give a schedule, or {', '.join(missing)} as well")
        made.append(part(**chosen) if given is None else given)
    return made[0], made[1]


@dataclass
class TrainingProgress:
    """Counters of a training, and its best test."""

    epoch: int = 0
    env_step: int = 0
    gradient_step: int = 0
    best_epoch: int = -1
    best_reward: float = float("-inf")
    best_reward_std: float = 0.0
    last: dict[str, float] = field(default_factory=dict)


class BaseTrainer(ABC, Iterator[EpochResult]):
    """A training as an iterator over its epochs; `run()` goes through all of them."""

    def __init__(
        self,
        policy: BasePolicy,
        train_collector: CollectorLike | None,
        test_collector: Collector | None,
        schedule: CommonSchedule,
        hooks: Hooks | None = None,
        logger: BaseLogger | None = None,
    ):
        settle_threads(policy)
        self.policy = policy
        self.test_collector = test_collector
        self.hooks = hooks or Hooks()
        self.logger = logger or LazyLogger()
        self.at = TrainingProgress()
        self._plan = schedule
        self._train_collector = train_collector
        self._start: float | None = None
        self._stopped = False
        self._averages: defaultdict[str, MovAvg] = defaultdict(MovAvg)

    def __iter__(self) -> Iterator[EpochResult]:
        return self

    def __next__(self) -> EpochResult:
        """Train for one epoch."""
        if self._start is None:
            self._begin()
        if self._stopped or self.at.epoch >= self._plan.max_epoch:
            raise StopIteration
        self.at.epoch += 1
        with _progress(self._plan.verbose) as progress:
            task = progress.add_task(f"epoch {self.at.epoch}", total=self.steps_in_epoch, figures="")
            try:
                self._epoch(progress, task)
                self._require_numbers()
            except DivergedError as error:
                raise self._located(error) from None
        if not self._stopped:
            self._test()
        self._print_epoch()
        self.logger.save_data(self.at.epoch, self.at.env_step, self.at.gradient_step, self.hooks.save_checkpoint_fn)
        return self.at.epoch, dict(self.at.last), self.info()

    def _print_epoch(self) -> None:
        """Print one line at the end of an epoch if there is no terminal for a bar."""
        if self._plan.verbose and not make_console(stderr=True).is_terminal:
            epoch = f"epoch {self.at.epoch} of {self._plan.max_epoch}"
            print(f"{epoch}  step {self.step:,}  {figures_text(self.at.last)}".rstrip(), file=sys.stderr, flush=True)

    def run(self) -> dict[str, float | str]:
        """Train to the end; return the figures of the training."""
        for _ in self:
            pass
        return self.info()

    def info(self) -> dict[str, float | str]:
        """Return the figures of the training so far."""
        start = time.time() if self._start is None else self._start
        return gather_info(
            start, self._train_collector, self.test_collector, self.at.best_reward, self.at.best_reward_std
        )

    def _begin(self) -> None:
        self._start = time.time()
        if self._plan.resume_from_log:
            self.at.epoch, self.at.env_step, self.at.gradient_step = self.logger.restore_data()
            if self.at.epoch and (best := self.logger.restore_best()) is not None:
                self.at.best_epoch, self.at.best_reward, self.at.best_reward_std = best
        if self._train_collector is not None:
            self._train_collector.reset_stat()
        self.policy.train()
        if self.test_collector is not None:
            self.test_collector.reset_stat()
            if self.at.epoch == 0:
                self._test()

    @property
    @abstractmethod
    def steps_in_epoch(self) -> int:
        """Steps per epoch."""

    @property
    @abstractmethod
    def step(self) -> int:
        """Steps so far, the counter that tests are logged under."""

    @abstractmethod
    def _epoch(self, progress: Progress, task: TaskID) -> None:
        """Train for one epoch and show the progress."""

    def _test(self) -> None:
        """Test the policy; save it if it is the best; stop if it is good enough."""
        if self.test_collector is None:
            return
        at = self.at
        result = test_episode(
            self.policy,
            self.test_collector,
            self.hooks.test_fn,
            at.epoch,
            self._plan.episode_per_test,
            self.logger,
            self.step,
            self.hooks.reward_metric,
        )
        at.last["test"] = result["rew"]
        if result["rew"] > at.best_reward:
            at.best_epoch, at.best_reward, at.best_reward_std = at.epoch, result["rew"], result["rew_std"]
            if self.hooks.save_fn is not None:
                self.hooks.save_fn(self.policy)
            self.logger.log_best(at.best_epoch, at.best_reward, at.best_reward_std)
        if self.hooks.stop_fn is not None and self.hooks.stop_fn(at.best_reward):
            self._stopped = True

    def _record_update(self, losses: dict[str, Any], steps: int = 1) -> None:
        """Count gradient steps, log their figures, and update moving averages for the figures of the epoch."""
        self.at.gradient_step += steps
        for key, value in losses.items():
            self.at.last[key] = self._averages[key].add(value)
        self.logger.log_update_data(losses, self.at.gradient_step)
        if (loss := broken_loss(losses)) is not None and broken_tensor(self.policy) is not None:
            raise DivergedError(f"a loss is not a finite number: {loss}")

    def _require_numbers(self) -> None:
        """Raise `DivergedError` for weights that are not finite, before they are tested or saved."""
        if broken_tensor(self.policy) is not None:
            raise DivergedError("the weights are not finite any more")

    def _located(self, error: DivergedError) -> DivergedError:
        """Return the error with the current step of the training."""
        tensor = broken_tensor(self.policy)
        where = f"update {self.at.gradient_step}, step {self.step}" + (f", in {tensor}" if tensor else "")
        return DivergedError(f"training has diverged at {where}: {error}")


def figures_text(last: dict[str, float]) -> str:
    """Return figures as text for a progress bar."""
    return "  ".join(f"{key} {value:.3g}" for key, value in last.items())


def _progress(verbose: bool) -> Progress:
    console = make_console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[figures]}"),
        console=console,
        disable=not (verbose and console.is_terminal),
    )
