"""Training in copies of one Gymnasium environment."""

from typing import Any

import numpy as np

from arena.base.seeding import spawn_seeds
from arena.collector.of_task import learner_collector_of
from arena.data.batch import Batch
from arena.data.buffer.manager import VectorReplayBuffer
from arena.data.infos import of_numbers
from arena.policy.base import BasePolicy
from arena.trainer.base import BaseTrainer, Hooks
from arena.training.evaluation import ReturnEvaluator
from arena.training.options import GymRunOptions
from arena.training.run import PolicyRun
from arena.training.setup import TrainingSetup, prepare, require_collecting
from arena.training.tasks import GymTask
from arena.training.trainers import collecting_trainer
from arena.training.transitions import require_transitions


def make_gym_run(task: GymTask, algo: str, config: Any = None, options: GymRunOptions | None = None) -> PolicyRun:
    """Return a training, on- or off-policy, in copies of a Gymnasium environment; see `PolicyRun`."""
    require_collecting(algo)
    setup = prepare(task, algo, config, options or GymRunOptions())
    setup = setup.with_fitting_snapshots(setup.options.steps, setup.options.environments * moves_between(setup))
    policy = setup.build_policy()
    evaluator = ReturnEvaluator(task, setup.options.test_episodes, setup.options.seed)
    return PolicyRun(setup, policy, GymExperience(setup, policy), evaluator)


def moves_between(setup: TrainingSetup[GymTask, GymRunOptions]) -> int:
    """Return the steps in each copy of the environment between two updates."""
    options = setup.options
    return setup.algorithm.steps_between_updates(setup.config, options.environments, options.moves)


class GymExperience:
    """Copies of a Gymnasium environment in which a policy acts, and the buffer of its transitions.

    Environments start new episodes at every snapshot, since their state cannot be saved. Of their infos only numbers
    are saved.
    """

    reports = True

    def __init__(self, setup: TrainingSetup[GymTask, GymRunOptions], policy: BasePolicy):
        options, config, on_policy = setup.options, setup.config, setup.algorithm.data == "on-policy"
        self._setup, self._policy = setup, policy
        self._moves = moves_between(setup)
        capacity = options.environments * (self._moves + 1) if on_policy else config.buffer_size
        buffer = VectorReplayBuffer(max(capacity, 2 * options.environments), options.environments)
        self.collector = learner_collector_of(setup.task.make, options.environments, policy, buffer, on_policy)

    def trainer(self, hooks: Hooks) -> BaseTrainer:
        """Return the trainer of the policy, with one epoch a snapshot."""
        steps = self._setup.options.environments * self._moves
        return collecting_trainer(self._setup, self._policy, self.collector, steps, hooks)

    def restart(self, number: int) -> None:
        """Begin new episodes, and restart every random stream after `number` snapshots."""
        environments, buffer, policy = spawn_seeds(self._setup.options.seed, number, count=3)
        self.collector.reset_env({"seed": environments % 2**31})
        self.collector.buffer.rng = np.random.default_rng(buffer)
        self._policy.reset(policy)

    def state_dict(self) -> Batch:
        """Return the buffer as arrays."""
        arrays = self.collector.buffer.filled_state_dict()
        if "info" in arrays.storage:
            arrays.storage = Batch(arrays.storage, info=of_numbers(arrays.storage.info))
        return Batch(buffer=arrays)

    def load_state_dict(self, arrays: Batch) -> None:
        """Load what `state_dict` returned; raise `UsageError` if it is of another task."""
        self.collector.buffer.load_state_dict(arrays.buffer)
        require_transitions(self.collector.buffer, self._setup.spaces, "the buffer")
