"""Learning from transitions in a file, for a game or for a Gymnasium environment."""

from typing import Any

import numpy as np

from arena.base.errors import UsageError
from arena.base.seeding import spawn_seeds
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.data.buffer.loading import load_buffer
from arena.policy.base import BasePolicy
from arena.policy.registration import Spaces
from arena.policy.registry import learning_algorithm
from arena.trainer.base import BaseTrainer, Hooks
from arena.trainer.offline import OfflineSchedule, OfflineTrainer
from arena.training.evaluation import Evaluator, ReturnEvaluator, evaluator_of
from arena.training.options import OfflineRunOptions
from arena.training.run import PolicyRun
from arena.training.setup import TrainingSetup, prepare
from arena.training.tasks import GymTask
from arena.training.transitions import require_transitions
from games.engine.game import Game


def make_offline_run(
    task: Game | GymTask, algo: str, config: Any = None, options: OfflineRunOptions | None = None
) -> PolicyRun:
    """Return a training on the transitions in a file that `save_hdf5` wrote; see `PolicyRun`.

    Raises `UsageError` for on- and off-policy algorithms, which have to collect their own experience.
    """
    options = options or OfflineRunOptions()
    if (data := learning_algorithm(algo).data) != "offline":
        raise UsageError(f"{algo!r} learns {data}, from its own experience: it takes no --data")
    evaluator = make_evaluator(task, options)
    buffer = read_transitions(options, Spaces.of_task(task))
    setup = prepare(task, algo, config, options).with_fitting_snapshots(options.steps, 1)
    policy = setup.build_policy()
    return PolicyRun(setup, policy, StoredExperience(setup, policy, buffer), evaluator)


def make_evaluator(task: Game | GymTask, options: OfflineRunOptions) -> Evaluator:
    """Return what measures a snapshot: games of the task, or episodes of an environment."""
    if isinstance(task, GymTask):
        return ReturnEvaluator(task, options.test_episodes, options.seed)
    return evaluator_of(task, options.evaluation, options.evaluation_games, options.seed)


class StoredExperience:
    """Transitions in a buffer that a policy learns from; the buffer does not change."""

    reports = False

    def __init__(
        self,
        setup: TrainingSetup[Game | GymTask, OfflineRunOptions],
        policy: BasePolicy,
        buffer: ReplayBuffer,
    ):
        self._setup, self._policy, self._buffer = setup, policy, buffer

    def trainer(self, hooks: Hooks) -> BaseTrainer:
        """Return the trainer of the policy, with one epoch a snapshot."""
        options = self._setup.options
        schedule = OfflineSchedule(
            max_epoch=options.num_snapshots,
            update_per_epoch=-(-options.steps // options.num_snapshots),
            batch_size=self._setup.config.batch_size,
        )
        saves = Hooks(save_checkpoint_fn=hooks.save_checkpoint_fn)  # it knows no hooks of collecting
        return OfflineTrainer(self._policy, self._buffer, None, schedule, saves)

    def restart(self, number: int) -> None:
        """Restart the random streams after `number` snapshots."""
        buffer, policy = spawn_seeds(self._setup.options.seed, number, count=2)
        self._buffer.rng = np.random.default_rng(buffer)
        self._policy.reset(policy)

    def state_dict(self) -> Batch:
        """Return nothing: the transitions are in the file."""
        return Batch()

    def load_state_dict(self, arrays: Batch) -> None:
        """Load nothing."""


def read_transitions(options: OfflineRunOptions, spaces: Spaces) -> ReplayBuffer:
    """Return the transitions in the file; raise `UsageError` if it is missing, unreadable or of another task."""
    if options.data is None:
        raise UsageError("this algorithm learns offline, from transitions in a file: give --data FILE")
    buffer = load_buffer(options.data)
    if len(buffer) == 0:
        raise UsageError(f"{options.data} holds no transitions")
    require_transitions(buffer, spaces, str(options.data))
    return buffer
