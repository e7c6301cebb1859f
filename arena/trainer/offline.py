"""Offline training: learning from transitions collected before."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Unpack

from rich.progress import Progress, TaskID

from arena.base.checks import numbers_in, require_at_least
from arena.base.errors import UsageError
from arena.collector.collector import Collector
from arena.data.buffer.base import ReplayBuffer
from arena.policy.base import BasePolicy
from arena.trainer.base import BaseTrainer, HookOptions, Hooks, figures_text, schedule_and_hooks
from arena.trainer.evaluation import RewardMetric
from arena.trainer.logger import BaseLogger


@dataclass(frozen=True)
class OfflineSchedule:
    """Amounts of learning and testing in offline training."""

    max_epoch: int
    """Number of epochs; a `stop_fn` may end the training earlier."""
    update_per_epoch: int
    """Gradient steps per epoch."""
    batch_size: int
    """Transitions per gradient step."""
    episode_per_test: int = 100
    """Episodes per test."""
    resume_from_log: bool = False
    """Resume from the counters and the best test in the logger's files."""
    verbose: bool = True
    """Show progress on stderr: a bar on a terminal, otherwise a line for each epoch."""

    def __post_init__(self) -> None:
        require_at_least(1, **numbers_in(self, "max_epoch", "update_per_epoch", "batch_size", "episode_per_test"))


class OfflineOptions(HookOptions, total=False):
    """Keywords in place of `OfflineSchedule` and `Hooks`, whose fields and defaults they are."""

    max_epoch: int
    update_per_epoch: int
    batch_size: int
    episode_per_test: int
    resume_from_log: bool
    verbose: bool


class OfflineTrainer(BaseTrainer):
    """Update `update_per_epoch` times an epoch, each time on `batch_size` transitions of a buffer.

    A step is a gradient step: tests are logged under it, and the count of environment steps stays 0. `schedule` and
    `hooks` may be given as keywords instead, as to `offline_trainer`. Raises `UsageError` for an empty buffer, and for
    hooks that belong to collecting.
    """

    def __init__(
        self,
        policy: BasePolicy,
        buffer: ReplayBuffer,
        test_collector: Collector | None,
        schedule: OfflineSchedule | None = None,
        hooks: Hooks | None = None,
        logger: BaseLogger | None = None,
        **options: Unpack[OfflineOptions],
    ):
        plan, hooks = schedule_and_hooks(OfflineSchedule, schedule, hooks, options)
        super().__init__(policy, None, test_collector, plan, hooks, logger)
        if len(buffer) == 0:
            raise UsageError("the buffer is empty: there is nothing to learn from offline")
        for name in ("train_fn", "collect_fn"):
            if getattr(self.hooks, name) is not None:
                raise UsageError(f"{name} is for trainings that collect; an offline training never calls it")
        self.buffer = buffer
        self.schedule = plan

    @property
    def steps_in_epoch(self) -> int:
        """Gradient steps per epoch."""
        return self.schedule.update_per_epoch

    @property
    def step(self) -> int:
        """Gradient steps so far."""
        return self.at.gradient_step

    def _epoch(self, progress: Progress, task: TaskID) -> None:
        """Take the gradient steps of one epoch."""
        for _ in range(self.schedule.update_per_epoch):
            self._record_update(self.policy.update(self.schedule.batch_size, self.buffer))
            progress.update(task, advance=1, figures=figures_text(self.at.last))


def offline_trainer(
    policy: BasePolicy,
    buffer: ReplayBuffer,
    test_collector: Collector | None,
    max_epoch: int,
    update_per_epoch: int,
    episode_per_test: int,
    batch_size: int,
    test_fn: Callable[[int, int | None], None] | None = None,
    stop_fn: Callable[[float], bool] | None = None,
    save_fn: Callable[[BasePolicy], None] | None = None,
    save_checkpoint_fn: Callable[[int, int, int], Any] | None = None,
    resume_from_log: bool = False,
    reward_metric: RewardMetric | None = None,
    logger: BaseLogger | None = None,
    verbose: bool = True,
) -> dict[str, float | str]:
    """Train offline to the end; arguments as in `OfflineSchedule` and `Hooks`, result as in `gather_info`."""
    schedule = OfflineSchedule(max_epoch, update_per_epoch, batch_size, episode_per_test, resume_from_log, verbose)
    hooks = Hooks(None, test_fn, stop_fn, save_fn, save_checkpoint_fn, reward_metric)
    return OfflineTrainer(policy, buffer, test_collector, schedule, hooks, logger).run()
