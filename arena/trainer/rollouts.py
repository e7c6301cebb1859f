"""On-policy training from rollouts: what `OnpolicyTrainer` does, where transitions are tensors."""

from typing import Any

from arena.base.checks import require_at_least
from arena.collector.rollout_collector import RolloutCollector
from arena.data.stats import CollectStats
from arena.policy.rollout import update
from arena.trainer.base import Hooks, Schedule
from arena.trainer.collecting import CollectingTrainer


class RolloutTrainer(CollectingTrainer):
    """Learn `repeat_per_collect` times from all transitions collected, in minibatches, then forget them."""

    def __init__(
        self, collector: RolloutCollector, schedule: Schedule, repeat_per_collect: int = 1, hooks: Hooks | None = None
    ):
        super().__init__(collector.policy, collector, None, schedule, hooks)
        require_at_least(1, repeat_per_collect=repeat_per_collect)
        self._collector, self.repeat_per_collect = collector, repeat_per_collect

    def update(self, stats: CollectStats) -> None:
        """Let every learner learn from its transitions; those that are still open stay."""
        losses: dict[str, Any] = {}
        for name, policy, rollout in self._collector.rollouts():
            figures = update(policy, rollout, self.schedule.batch_size, self.repeat_per_collect)
            losses |= {f"{name}/{key}": value for key, value in figures.items()}
        self._collector.reset_buffer(keep_statistics=True)
        if losses:
            steps = max([len(value) for value in losses.values() if isinstance(value, list)], default=1)
            self._record_update(losses, steps)
