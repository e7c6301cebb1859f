"""Trainers of the trainings in folders: one epoch is what lies between two snapshots."""

from typing import Any, Protocol, runtime_checkable

from arena.base.errors import UsageError
from arena.collector.protocol import CollectorLike
from arena.collector.rollout_collector import RolloutCollector
from arena.policy.base import BasePolicy
from arena.trainer.base import BaseTrainer, Hooks, Schedule
from arena.trainer.offpolicy import OffpolicyTrainer
from arena.trainer.onpolicy import OnpolicyTrainer
from arena.trainer.rollouts import RolloutTrainer
from arena.training.options import RunOptions
from arena.training.setup import TrainingSetup


@runtime_checkable
class LearnsInBatches(Protocol):
    """Config of an algorithm that learns from batches; the others learn from all transitions at once."""

    @property
    def batch_size(self) -> int:
        """Transitions in a gradient step."""


@runtime_checkable
class LearnsRepeatedly(Protocol):
    """Config of an on-policy algorithm that learns several times from a collection."""

    @property
    def repeat(self) -> int:
        """Number of passes over the transitions of a collection."""


def collecting_trainer(
    setup: TrainingSetup[Any, RunOptions],
    policy: BasePolicy,
    collector: CollectorLike,
    step_per_collect: int,
    hooks: Hooks,
    steps: int | None = None,
) -> BaseTrainer:
    """Return an on- or off-policy trainer, as the algorithm asks, of one epoch a snapshot.

    `policy` may be a manager. The trainer takes `steps` steps, by default those of the options. Raises `UsageError` if
    they are too few for an update between any two snapshots.
    """
    options, config = setup.options, setup.config
    steps = options.steps if steps is None else steps
    if options.num_snapshots > 1 and steps < options.num_snapshots * step_per_collect:
        share = "" if steps == options.steps else f" (of which one learner gets {steps})"
        raise UsageError(
            f"steps={options.steps}{share} are too few for snapshots={options.num_snapshots}: each collection takes "
            f"{step_per_collect} steps, so there would be no update between some snapshots; "
            f"snapshots={max(steps // step_per_collect, 1)} would do"
        )
    schedule = Schedule(
        max_epoch=options.num_snapshots,
        step_per_epoch=-(-steps // options.num_snapshots),
        batch_size=config.batch_size if isinstance(config, LearnsInBatches) else 1,
        step_per_collect=step_per_collect,
        verbose=False,
    )
    if setup.algorithm.data == "on-policy":
        repeat = config.repeat if isinstance(config, LearnsRepeatedly) else 1
        if isinstance(collector, RolloutCollector):
            return RolloutTrainer(collector, schedule, repeat, hooks)
        return OnpolicyTrainer(policy, collector, None, schedule, repeat, hooks)
    return OffpolicyTrainer(policy, collector, None, schedule, config.update_per_step, hooks)
