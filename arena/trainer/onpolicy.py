"""On-policy training: learning from each collection once, which is then dropped."""

from collections.abc import Callable
from typing import Any, Unpack

from arena.base.checks import require_at_least
from arena.collector.collector import Collector
from arena.collector.protocol import CollectorLike
from arena.data.stats import CollectStats
from arena.policy.base import BasePolicy
from arena.trainer.base import CollectingOptions, Hooks, Schedule
from arena.trainer.collecting import CollectingTrainer
from arena.trainer.evaluation import RewardMetric
from arena.trainer.logger import BaseLogger


class OnpolicyTrainer(CollectingTrainer):
    """Learn `repeat_per_collect` times from all transitions collected, in minibatches, then empty the buffer.

    `schedule` and `hooks` may be given as keywords instead, as to `onpolicy_trainer`.
    """

    def __init__(
        self,
        policy: BasePolicy,
        train_collector: CollectorLike,
        test_collector: Collector | None,
        schedule: Schedule | None = None,
        repeat_per_collect: int = 1,
        hooks: Hooks | None = None,
        logger: BaseLogger | None = None,
        **options: Unpack[CollectingOptions],
    ):
        super().__init__(policy, train_collector, test_collector, schedule, hooks, logger, **options)
        require_at_least(1, repeat_per_collect=repeat_per_collect)
        self.repeat_per_collect = repeat_per_collect

    def update(self, stats: CollectStats) -> None:
        """Learn from the whole buffer, then empty it; unfinished episodes continue."""
        buffer = self.train_collector.buffer
        if len(buffer) == 0:
            return
        losses = self.policy.update(0, buffer, batch_size=self.schedule.batch_size, repeat=self.repeat_per_collect)
        self.train_collector.reset_buffer(keep_statistics=True)
        steps = max([len(value) for value in losses.values() if isinstance(value, list)], default=1)
        self._record_update(losses, steps)


def onpolicy_trainer(
    policy: BasePolicy,
    train_collector: CollectorLike,
    test_collector: Collector | None,
    max_epoch: int,
    step_per_epoch: int,
    repeat_per_collect: int,
    episode_per_test: int,
    batch_size: int,
    step_per_collect: int | None = None,
    episode_per_collect: int | None = None,
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
    """Train on-policy to the end; arguments as in `Schedule` and `Hooks`, result as in `gather_info`."""
    schedule = Schedule(
        max_epoch,
        step_per_epoch,
        batch_size,
        step_per_collect,
        episode_per_collect,
        episode_per_test,
        test_in_train,
        resume_from_log,
        verbose,
    )
    hooks = Hooks(train_fn, test_fn, stop_fn, save_fn, save_checkpoint_fn, reward_metric)
    return OnpolicyTrainer(policy, train_collector, test_collector, schedule, repeat_per_collect, hooks, logger).run()
