"""Off-policy training: updates on sampled transitions after every few steps."""

from collections.abc import Callable
from math import ceil
from typing import Any, Unpack

from arena.base.checks import require_above
from arena.base.errors import UsageError
from arena.collector.collector import Collector
from arena.collector.protocol import CollectorLike
from arena.data.stats import CollectStats
from arena.policy.base import BasePolicy
from arena.trainer.base import CollectingOptions, Hooks, Schedule
from arena.trainer.collecting import CollectingTrainer
from arena.trainer.evaluation import RewardMetric
from arena.trainer.logger import BaseLogger


class OffpolicyTrainer(CollectingTrainer):
    """Update round(`update_per_step` * n) times after n collected steps, each time on `batch_size` transitions.

    Raises `UsageError` if `step_per_collect` is so small that this rounds to no update at all. `schedule` and `hooks`
    may be given as keywords instead, as to `offpolicy_trainer`.
    """

    def __init__(
        self,
        policy: BasePolicy,
        train_collector: CollectorLike,
        test_collector: Collector | None,
        schedule: Schedule | None = None,
        update_per_step: float = 1,
        hooks: Hooks | None = None,
        logger: BaseLogger | None = None,
        **options: Unpack[CollectingOptions],
    ):
        super().__init__(policy, train_collector, test_collector, schedule, hooks, logger, **options)
        require_above(0, update_per_step=update_per_step)
        self.update_per_step = update_per_step
        if self.schedule.step_per_collect is not None:
            self._require_updates(train_collector.most_steps(self.schedule.step_per_collect))

    def _require_updates(self, steps: int) -> None:
        """Raise `UsageError` if no update would ever happen; `steps` is the largest number collected at once."""
        if round(self.update_per_step * steps) == 0:
            raise UsageError(
                f"update_per_step={self.update_per_step} of {steps} steps a collection rounds to no updates: "
                f"step_per_collect has to be {ceil(0.5 / self.update_per_step)} or more"
            )

    def update(self, stats: CollectStats) -> None:
        """Learn from samples, if the buffer is not empty."""
        if len(self.train_collector.buffer) == 0:
            return
        for _ in range(round(self.update_per_step * stats.n_collected_steps)):
            self._record_update(self.policy.update(self.schedule.batch_size, self.train_collector.buffer))


def offpolicy_trainer(
    policy: BasePolicy,
    train_collector: CollectorLike,
    test_collector: Collector | None,
    max_epoch: int,
    step_per_epoch: int,
    step_per_collect: int,
    episode_per_test: int,
    batch_size: int,
    update_per_step: float = 1,
    train_fn: Callable[[int, int], None] | None = None,
    test_fn: Callable[[int, int | None], None] | None = None,
    stop_fn: Callable[[float], bool] | None = None,
    save_fn: Callable[[BasePolicy], None] | None = None,
    save_checkpoint_fn: Callable[[int, int, int], Any] | None = None,
    resume_from_log: bool = False,
    reward_metric: RewardMetric | None = None,
    logger: BaseLogger | None = None,
    verbose: bool = True,
    test_in_train: bool = True,
) -> dict[str, float | str]:
    """Train off-policy to the end; arguments as in `Schedule` and `Hooks`, result as in `gather_info`."""
    schedule = Schedule(
        max_epoch,
        step_per_epoch,
        batch_size,
        step_per_collect,
        episode_per_test=episode_per_test,
        test_in_train=test_in_train,
        resume_from_log=resume_from_log,
        verbose=verbose,
    )
    hooks = Hooks(train_fn, test_fn, stop_fn, save_fn, save_checkpoint_fn, reward_metric)
    return OffpolicyTrainer(policy, train_collector, test_collector, schedule, update_per_step, hooks, logger).run()
