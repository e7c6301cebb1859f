"""`GymRun`: training in copies of one Gymnasium environment."""

from typing import Any

import numpy as np

from arena.collector.collector import Collector
from arena.data.batch import Batch
from arena.data.buffer.manager import VectorReplayBuffer
from arena.env.base import DummyVectorEnv
from arena.runs.evaluation import mean_return
from arena.runs.options import GymRunOptions
from arena.runs.run import Run, require_collecting
from arena.runs.tasks import GymTask
from arena.seeding import spawn_seeds
from arena.trainer.base import BaseTrainer


class GymRun(Run):
    """Trains a policy on- or off-policy; see `Run`.

    Environments begin new episodes at every snapshot, since theirs cannot be saved.
    """

    def __init__(self, task: GymTask, algo: str, config: Any = None, options: GymRunOptions | None = None):
        options = options or GymRunOptions()
        require_collecting(algo)
        self._gym_task, self._gym_options = task, options
        super().__init__(task, task.spaces, algo, config, options)

    def _make_trainer(self) -> BaseTrainer:
        options, on_policy = self._gym_options, self.algorithm.data == "on-policy"
        moves = self.algorithm.steps_between_updates(self.config, options.environments, options.moves)
        env = DummyVectorEnv([self._gym_task.make] * options.environments)
        capacity = options.environments * (moves + 1) if on_policy else self.config.buffer_size
        buffer = VectorReplayBuffer(max(capacity, 2 * options.environments), options.environments)
        self.collector = Collector(self.policy, env, buffer, exploration_noise=not on_policy)
        return self._collecting_trainer(self.policy, self.collector, options.environments * moves)

    def _begin_epoch(self, number: int) -> None:
        environments, buffer, policy = spawn_seeds(self.options.seed, number, count=3)
        self.collector.reset_env({"seed": environments % 2**31})
        self.collector.buffer.rng = np.random.default_rng(buffer)
        self.policy.reset(policy)

    def _evaluate(self) -> dict[str, float]:
        episodes = self._gym_options.test_episodes
        return {"return": mean_return(self._gym_task, self.policy, episodes, self.options.seed)}

    def _further_arrays(self) -> Batch:
        return Batch(buffer=self.collector.buffer.arrays())

    def _take_up(self, figures: Any, arrays: Batch) -> None:
        self.collector.buffer.restore(arrays.buffer)
