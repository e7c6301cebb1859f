"""Base of trainings that collect their own data: collect, test early, update."""

from abc import abstractmethod
from typing import Any, Unpack

from rich.progress import Progress, TaskID

from arena.collector.collector import Collector
from arena.collector.protocol import CollectorLike
from arena.data.stats import CollectStats
from arena.policy.base import BasePolicy
from arena.trainer.base import BaseTrainer, CollectingOptions, Hooks, Schedule, figures_text, schedule_and_hooks
from arena.trainer.evaluation import figures
from arena.trainer.logger import BaseLogger


class CollectingTrainer(BaseTrainer):
    """A training whose steps are environment steps."""

    def __init__(
        self,
        policy: BasePolicy,
        train_collector: CollectorLike,
        test_collector: Collector | None,
        schedule: Schedule | None = None,
        hooks: Hooks | None = None,
        logger: BaseLogger | None = None,
        **options: Unpack[CollectingOptions],
    ):
        plan, hooks = schedule_and_hooks(Schedule, schedule, hooks, options)
        super().__init__(policy, train_collector, test_collector, plan, hooks, logger)
        self.train_collector = train_collector
        self.schedule = plan

    @property
    def steps_in_epoch(self) -> int:
        """Environment steps per epoch."""
        return self.schedule.step_per_epoch

    @property
    def step(self) -> int:
        """Environment steps so far."""
        return self.at.env_step

    def _epoch(self, progress: Progress, task: TaskID) -> None:
        """Collect and update until the epoch has all its steps or the goal is reached."""
        end = self.at.epoch * self.schedule.step_per_epoch
        while self.at.env_step < end and not self._stopped:
            if self.hooks.train_fn is not None:
                self.hooks.train_fn(self.at.epoch, self.at.env_step)
            stats = self.train_collector.collect(
                n_step=self.schedule.step_per_collect, n_episode=self.schedule.episode_per_collect
            )
            self.at.env_step += stats.n_collected_steps
            if self.hooks.collect_fn is not None:
                self.hooks.collect_fn(stats)
            result = figures(stats, self.hooks.reward_metric)
            self.logger.log_train_data(result, self.at.env_step)
            if "rew" in result:
                self.at.last |= {key: result[key] for key in ("rew", "len")}
            self._test_early(result)
            if not self._stopped:
                self.update(stats)
            done = self.schedule.step_per_epoch - (end - self.at.env_step)
            progress.update(task, completed=done, figures=figures_text(self.at.last))

    def _test_early(self, result: dict[str, Any]) -> None:
        """Test if the training returns reach the goal, which may end the training."""
        reached = self.schedule.test_in_train and self.hooks.stop_fn is not None and "rew" in result
        if reached and self.test_collector is not None and self.hooks.stop_fn(result["rew"]):  # type: ignore[misc]
            self._test()

    @abstractmethod
    def update(self, stats: CollectStats) -> None:
        """Learn after a collection."""
