"""`OfflineRun`: learning from transitions in a file, for a game or for a Gymnasium environment."""

from typing import Any

import numpy as np

from arena.data.buffer.base import ReplayBuffer
from arena.data.buffer.loading import load_buffer
from arena.errors import UsageError
from arena.policy.kinds import Spaces
from arena.registry import learning_algorithm, make_agent
from arena.runs.evaluation import able, mean_return, scores_against
from arena.runs.options import OfflineRunOptions
from arena.runs.run import Run
from arena.runs.tasks import GymTask
from arena.seeding import spawn_seeds
from arena.trainer.base import BaseTrainer, Hooks
from arena.trainer.offline import OfflineSchedule, OfflineTrainer
from games.engine.game import Game


class OfflineRun(Run):
    """Trains a policy on the transitions of a file that `save_hdf5` wrote; see `Run`.

    On- and off-policy algorithms are refused (`UsageError`): what they learn is only as good as what they try
    themselves.
    """

    def __init__(self, task: Game | GymTask, algo: str, config: Any = None, options: OfflineRunOptions | None = None):
        options = options or OfflineRunOptions()
        if (data := learning_algorithm(algo).data) != "offline":
            raise UsageError(f"{algo!r} learns {data}, from its own experience: it takes no --data")
        self._task, self._offline_options = task, options
        spaces = Spaces.of_task(task)
        if isinstance(task, Game):
            self._evaluators = {spec: make_agent(spec, task) for spec in able(task, options.evaluation)}
        self.buffer = read_transitions(options, spaces)
        super().__init__(task, spaces, algo, config, options)

    def _make_trainer(self) -> BaseTrainer:
        options = self._offline_options
        schedule = OfflineSchedule(
            max_epoch=options.snapshots,
            update_per_epoch=-(-options.steps // options.snapshots),
            batch_size=self.config.batch_size,
        )
        return OfflineTrainer(self.policy, self.buffer, None, schedule, Hooks(save_checkpoint_fn=self._save))

    def _save(self, epoch: int, env_step: int, gradient_step: int) -> None:
        """As in `Run`; nothing is collected here, so that this is when there is something to tell."""
        super()._save(epoch, env_step, gradient_step)
        self._tell()

    def _begin_epoch(self, number: int) -> None:
        buffer, policy = spawn_seeds(self.options.seed, number, count=2)
        self.buffer.rng = np.random.default_rng(buffer)
        self.policy.reset(policy)

    def _evaluate(self) -> dict[str, float]:
        options = self._offline_options
        if isinstance(self._task, Game):
            return scores_against(
                self._task, self.policy, self._evaluators, options.evaluation_games, self.options.seed
            )
        return {"return": mean_return(self._task, self.policy, options.test_episodes, self.options.seed)}


def read_transitions(options: OfflineRunOptions, spaces: Spaces) -> ReplayBuffer:
    """The buffer in the file; `UsageError` if there is none, it cannot be read, or it is of another task."""
    if options.data is None:
        raise UsageError("this algorithm learns offline, from transitions in a file: give --data FILE")
    buffer = load_buffer(options.data)
    if len(buffer) == 0:
        raise UsageError(f"{options.data} holds no transitions")
    obs = buffer.obs
    shape = (obs.obs if "mask" in obs else obs).shape[1:] if hasattr(obs, "keys") else obs.shape[1:]
    expected = spaces.observation.shape
    if tuple(shape) != tuple(expected or ()):
        raise UsageError(f"{options.data} holds observations of shape {tuple(shape)}, the task shows {expected}")
    return buffer
