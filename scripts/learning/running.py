"""Training and scoring of algorithms: always from a seed, always tested on fresh episodes."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
import torch

from arena.collector import Collector
from arena.data import PrioritizedVectorReplayBuffer, ReplayBuffer, VectorReplayBuffer
from arena.env import DummyVectorEnv
from arena.policy import BasePolicy
from arena.policy.registration import Algorithm
from arena.trainer import OfflineTrainer, OffpolicyTrainer, OnpolicyTrainer
from arena.trainer.base import BaseTrainer, Hooks, Schedule
from arena.trainer.offline import OfflineSchedule
from arena.training.tasks import GymTask

EPISODES = 100
"""Number of test episodes of a score."""


@dataclass(frozen=True)
class Outcome:
    """Result of one training."""

    score: float
    steps: int
    """Environment steps taken; offline, gradient steps."""


@dataclass(frozen=True)
class Check:
    """One algorithm on one task."""

    algorithm: str
    """Its registered name."""
    task: str
    threshold: float
    """Score that the median over the seeds has to reach."""
    train: Callable[[int], Outcome]
    """Train from a seed."""
    prepare: Callable[[], Any] = lambda: None
    """Called once before and not timed: writes the data of offline algorithms."""


@dataclass(frozen=True)
class GymTraining:
    """Trains in a Gymnasium environment, and scores by the mean return of 100 fresh episodes.

    After every `steps_per_test` steps 20 episodes are tested; the training stops once their mean reaches `goal`. The
    policy of the best test is scored.
    """

    env: str
    algorithm: Algorithm
    config: Any
    steps: int
    """Maximum environment steps; offline, gradient steps."""
    goal: float
    steps_per_test: int = 5_000
    num_envs: int = 10
    step_per_collect: int = 10
    warm_up: int = 0
    """Random steps before the first update; they count as steps."""
    eps: tuple[float, float, int] | None = None
    """Probability of a random action: first, last, and the step at which the last is reached."""
    priority: tuple[float, float] | None = None
    """Alpha and beta of prioritized replay; None for uniform replay."""
    data: Callable[[], ReplayBuffer] | None = None
    """Data of an offline algorithm."""

    def __call__(self, seed: int) -> Outcome:
        """Train from a seed and score."""
        policy, steps = self.learn(seed)
        return Outcome(mean_return(policy, self.env), steps)

    def learn(self, seed: int) -> tuple[BasePolicy, int]:
        """Train from a seed; return the best policy and the steps taken."""
        seed_everything(seed)
        policy = self.algorithm.build(GymTask(self.env).spaces, self.config, True)
        best: dict[str, Any] = {}
        hooks = Hooks(
            train_fn=None if self.eps is None else lambda _, step: policy.set_eps(annealed(*self.eps, step)),
            stop_fn=lambda score: score >= self.goal,
            save_fn=lambda _: best.update(deepcopy(policy.state_dict())),
        )
        trainer = self._trainer(policy, Collector(policy, make_envs(self.env, 20)), hooks)
        trainer.run()
        policy.load_state_dict(best)
        return policy, self.warm_up + trainer.step

    def _trainer(self, policy: BasePolicy, test: Collector, hooks: Hooks) -> BaseTrainer:
        epochs = (self.steps - self.warm_up) // self.steps_per_test
        if self.data is not None:
            plan = OfflineSchedule(epochs, self.steps_per_test, self.config.batch_size, 20, verbose=False)
            return OfflineTrainer(policy, self.data(), test, plan, Hooks(stop_fn=hooks.stop_fn, save_fn=hooks.save_fn))
        schedule = Schedule(
            epochs,
            self.steps_per_test,
            self.config.batch_size,
            self.step_per_collect,
            episode_per_test=20,
            test_in_train=False,
            verbose=False,
        )
        off_policy = self.algorithm.data == "off-policy"
        size = self.config.buffer_size if off_policy else self.step_per_collect + self.num_envs
        train = Collector(policy, make_envs(self.env, self.num_envs), self._buffer(size), exploration_noise=off_policy)
        if self.warm_up:
            train.collect(n_step=self.warm_up, random=True)
        if off_policy:
            return OffpolicyTrainer(policy, train, test, schedule, self.config.update_per_step, hooks)
        return OnpolicyTrainer(policy, train, test, schedule, self.config.repeat, hooks)

    def _buffer(self, size: int) -> ReplayBuffer:
        if self.priority is None:
            return VectorReplayBuffer(size, self.num_envs)
        alpha, beta = self.priority
        return PrioritizedVectorReplayBuffer(size, self.num_envs, alpha, beta)


def seed_everything(seed: int) -> None:
    """Seed weights, exploration, samples and environments; use one thread, which is fastest for small networks."""
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)


def make_envs(env: str, count: int) -> DummyVectorEnv:
    """Return environments whose seeds are drawn from NumPy's global state."""
    envs = DummyVectorEnv([lambda: gym.make(env)] * count)
    envs.seed(int(np.random.randint(2**31 - count)))
    return envs


def mean_return(policy: BasePolicy, env: str, episodes: int = EPISODES) -> float:
    """Return the mean return over fresh episodes, in evaluation mode, without exploration."""
    policy.eval()
    return float(Collector(policy, make_envs(env, 20)).collect(n_episode=episodes).returns_stat.mean)


def annealed(first: float, last: float, until: int, step: int) -> float:
    """Return a linearly annealed probability."""
    return first + (last - first) * min(1.0, step / until)
