"""What all training loops share: epochs, tests, hooks and progress, as an iterator."""

import time
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from arena.collector.collector import Collector
from arena.collector.collects import Collects
from arena.config import require_at_least
from arena.data.statistics import MovAvg
from arena.data.stats import CollectStats
from arena.errors import UsageError
from arena.policy.base import BasePolicy
from arena.trainer.evaluation import RewardMetric, gather_info, test_episode
from arena.trainer.logger import BaseLogger, LazyLogger, SaveCheckpoint

EpochResult = tuple[int, dict[str, Any], dict[str, float | str]]
"""Number of the epoch, its figures, and those of the training so far (see `gather_info`).

Figures of an epoch are `rew` and `len` of the episodes collected last, `test`, the mean return of the test, and moving
averages of what `learn` returned.
"""


class Pace(Protocol):
    """What every training is told, whatever its steps are."""

    @property
    def max_epoch(self) -> int:
        """Number of epochs; a `stop_fn` may end the training earlier."""

    @property
    def episode_per_test(self) -> int:
        """Episodes a test."""

    @property
    def resume_from_log(self) -> bool:
        """Go on from the counters and the best test that the logger finds."""

    @property
    def verbose(self) -> bool:
        """Show progress, where there is a terminal."""


@dataclass(frozen=True)
class Schedule:
    """How much is done: of collecting, learning and testing."""

    max_epoch: int
    """Number of epochs; a `stop_fn` may end the training earlier."""
    step_per_epoch: int
    """Environment steps an epoch."""
    batch_size: int
    """Transitions a gradient step."""
    step_per_collect: int | None = None
    """Environment steps between two updates."""
    episode_per_collect: int | None = None
    """Episodes between two updates; one of the two is given."""
    episode_per_test: int = 100
    """Episodes a test."""
    test_in_train: bool = True
    """Test early where the returns of training reach the goal."""
    resume_from_log: bool = False
    """Go on from the counters and the best test that the logger finds."""
    verbose: bool = True
    """Show progress, where there is a terminal."""

    def __post_init__(self) -> None:
        if (self.step_per_collect is None) == (self.episode_per_collect is None):
            raise UsageError(
                f"give one of step_per_collect={self.step_per_collect} and "
                f"episode_per_collect={self.episode_per_collect}"
            )
        chosen = "episode_per_collect" if self.step_per_collect is None else "step_per_collect"
        require_at_least(self, 1, "max_epoch", "step_per_epoch", "batch_size", "episode_per_test", chosen)


@dataclass(frozen=True)
class Hooks:
    """Functions called along the way."""

    train_fn: Callable[[int, int], None] | None = None
    """Before each collection: epoch, environment step."""
    test_fn: Callable[[int, int | None], None] | None = None
    """Before each test: epoch, environment step."""
    stop_fn: Callable[[float], bool] | None = None
    """Whether a mean test return is good enough to stop."""
    save_fn: Callable[[BasePolicy], None] | None = None
    """When the mean test return has become better."""
    save_checkpoint_fn: SaveCheckpoint | None = None
    """After epochs, as far apart as the logger's `save_interval`: epoch, environment step, gradient step."""
    reward_metric: RewardMetric | None = None
    """From vector returns to one figure an episode."""
    collect_fn: Callable[[CollectStats], None] | None = None
    """After each collection: what it brought."""


@dataclass
class Progressed:
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
        train_collector: Collects | None,
        test_collector: Collector | None,
        schedule: Pace,
        hooks: Hooks | None = None,
        logger: BaseLogger | None = None,
    ):
        self.policy = policy
        self.test_collector = test_collector
        self.hooks = hooks or Hooks()
        self.logger = logger or LazyLogger()
        self.at = Progressed()
        self._pace = schedule
        self._collects_with = train_collector
        self._start: float | None = None
        self._stopped = False
        self._averages: defaultdict[str, MovAvg] = defaultdict(MovAvg)

    def __iter__(self) -> Iterator[EpochResult]:
        return self

    def __next__(self) -> EpochResult:
        """One epoch."""
        if self._start is None:
            self._begin()
        if self._stopped or self.at.epoch >= self._pace.max_epoch:
            raise StopIteration
        self.at.epoch += 1
        with _progress(self._pace.verbose) as progress:
            task = progress.add_task(f"epoch {self.at.epoch}", total=self.steps_in_epoch, figures="")
            self._epoch(progress, task)
        if not self._stopped:
            self._test()
        self.logger.save_data(self.at.epoch, self.at.env_step, self.at.gradient_step, self.hooks.save_checkpoint_fn)
        return self.at.epoch, dict(self.at.last), self.info()

    def run(self) -> dict[str, float | str]:
        """Train to the end; returns the figures of the training."""
        for _ in self:
            pass
        return self.info()

    def info(self) -> dict[str, float | str]:
        """The figures of the training so far."""
        start = time.time() if self._start is None else self._start
        return gather_info(
            start, self._collects_with, self.test_collector, self.at.best_reward, self.at.best_reward_std
        )

    def _begin(self) -> None:
        self._start = time.time()
        if self._pace.resume_from_log:
            self.at.epoch, self.at.env_step, self.at.gradient_step = self.logger.restore_data()
            if self.at.epoch and (best := self.logger.restore_best()) is not None:
                self.at.best_epoch, self.at.best_reward, self.at.best_reward_std = best
        if self._collects_with is not None:
            self._collects_with.reset_stat()
        self.policy.train()
        if self.test_collector is not None:
            self.test_collector.reset_stat()
            if self.at.epoch == 0:
                self._test()

    @property
    @abstractmethod
    def steps_in_epoch(self) -> int:
        """Steps an epoch."""

    @property
    @abstractmethod
    def step(self) -> int:
        """Steps so far, the counter that tests are logged under."""

    @abstractmethod
    def _epoch(self, progress: Progress, task: TaskID) -> None:
        """Learn through one epoch, showing how far it is."""

    def _test(self) -> None:
        """Test; keep the best; stop if it is good enough."""
        if self.test_collector is None:
            return
        at = self.at
        result = test_episode(
            self.policy,
            self.test_collector,
            self.hooks.test_fn,
            at.epoch,
            self._pace.episode_per_test,
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

    def _learned(self, losses: dict[str, Any], steps: int = 1) -> None:
        """Count gradient steps, log their figures, and keep moving averages of them for the figures of the epoch."""
        self.at.gradient_step += steps
        for key, value in losses.items():
            self.at.last[key] = self._averages[key].add(value)
        self.logger.log_update_data(losses, self.at.gradient_step)


def said(last: dict[str, float]) -> str:
    """Figures beside a progress bar."""
    return "  ".join(f"{key} {value:.3g}" for key, value in last.items())


def _progress(verbose: bool) -> Progress:
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[figures]}"),
        console=console,
        disable=not (verbose and console.is_terminal),
    )
