"""`Run`: a training in a folder of its own, saved at every snapshot so that it can go on."""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from arena.collector.collects import Collects
from arena.data.batch import Batch
from arena.data.stats import CollectStats
from arena.errors import UsageError
from arena.match.verdict import MatchRecord
from arena.memory import keep_freed_memory
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import save_policy
from arena.policy.kinds import Spaces, Task
from arena.policy.optimizer import optimizer_arrays, optimizers_of, restore_optimizer
from arena.registry import learning_algorithm
from arena.runs.folder import RunFolder
from arena.runs.options import RunOptions, default_folder
from arena.trainer.base import BaseTrainer, Hooks, Schedule
from arena.trainer.evaluation import RewardMetric
from arena.trainer.logger import BaseLogger
from arena.trainer.offpolicy import OffpolicyTrainer
from arena.trainer.onpolicy import OnpolicyTrainer
from games.engine.game import Game

LEARNER = "policy_0/"
"""Before the figures of the learner, where a manager seats it."""


@dataclasses.dataclass(frozen=True)
class Progress:
    """Where a training is, for whoever watches it."""

    step: int
    """Steps taken: moves of games, steps of environments, gradient steps where nothing is collected."""
    total_steps: int
    snapshots: int
    """Snapshots written."""
    evaluation: Mapping[str, float]
    """How the newest snapshot was measured: its score against each fixed agent, by spec, or its mean `return`."""
    pool_score: float | None = None
    """In a league, the score against the snapshots met since the last one was written, a draw is half."""
    elo: tuple[float, float] | None = None
    """In a league, Elo of the newest snapshot and half-width of its 95 % interval."""
    refused: int = 0
    """In a league, snapshots that the gate has refused since it last let one in."""
    games: int = 0
    """Games or episodes that have ended since the training began, or was taken up again."""
    simulations: int = 0
    """Of searches in this process since then, if the policy searches."""
    losses: Mapping[str, float] = dataclasses.field(default_factory=dict)
    """Means of the latest gradient steps, by name."""
    elsewhere: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """Where workers play: steps that were stale or dropped and workers that died, by the names of their figures."""


class Run(ABC):
    """Trains one policy in a run folder.

    The folder holds `run.json` (what was asked for), `snapshot-0001`, ... (checkpoints), `training` (everything
    needed to go on) and TensorBoard events. All random streams start anew, from the seed and the snapshot's number,
    whenever a snapshot is written: so a run that was killed and goes on from its last snapshot ends where it would
    have ended anyway. A finished one can be made longer; main agents of games start again from the step size that a run
    as long as that would have there.

    A kind of run makes its trainer in `_make_trainer`, begins the stretch after a snapshot in `_begin_epoch`, measures
    the policy in `_evaluate`, and names what else is to be saved.

    Raises `UsageError` if the folder is in use (without `resume`), or holds another run (with it).
    """

    def __init__(self, task: Task, spaces: Spaces, algo: str, config: Any, options: RunOptions):
        self.task, self.algo = task, algo
        self.algorithm = learning_algorithm(algo)
        self.config, self.options = config or self.algorithm.usual_config(single=not isinstance(task, Game)), options
        self.folder = options.out or default_folder(task.name, algo)
        device = torch_device(options.device)
        torch.set_num_threads(options.threads or torch.get_num_threads())
        keep_freed_memory()
        torch.manual_seed(options.seed)  # initial weights
        self.spaces, self.device = spaces, device
        self.policy = self._build_policy()
        self.evaluation: dict[str, float] = {}
        self.games = 0
        """Games or episodes that have ended since this was made."""
        self._watch: Callable[[Progress], None] | None = None
        self.trainer = self._make_trainer()
        self._files = RunFolder(self.folder)
        state = self._files.claim(self._description(), options.resume)
        if state is not None:
            self._restore(state)

    def _build_policy(self) -> BasePolicy:
        """A learner with initial weights."""
        return self.algorithm.build(self.spaces, self.config, True).to(self.device)

    # --- what a run of one kind does ----------------------------------------------------------------------------

    @abstractmethod
    def _make_trainer(self) -> BaseTrainer:
        """The trainer, one epoch a snapshot, with `_save` among its hooks; see `_collecting_trainer`."""

    @abstractmethod
    def _begin_epoch(self, number: int) -> None:
        """Start every random stream anew; `number` snapshots have been written. Twice is as good as once."""

    @abstractmethod
    def _evaluate(self) -> dict[str, float]:
        """Measure the policy; see `Progress.evaluation`."""

    def _further_figures(self) -> dict[str, Any]:
        """What is saved in words besides counters and weights."""
        return {}

    def _further_arrays(self) -> Batch:
        """What is saved in arrays besides weights and optimizers."""
        return Batch()

    def latest_game(self) -> MatchRecord | None:
        """The latest game of training that ended, for people to see; None where games are not remembered."""
        return None

    def _take_up(self, figures: Mapping[str, Any], arrays: Batch) -> None:  # noqa: B027  # most have no more to save
        """Take over what the two before gave."""

    # --- the run ------------------------------------------------------------------------------------------------

    def set_logger(self, logger: BaseLogger) -> None:
        """Log figures there from now on."""
        self.trainer.logger = logger

    @property
    def finished(self) -> bool:
        """Whether all snapshots have been written."""
        return self.trainer.at.epoch >= self.options.snapshots

    def train(self, watch: Callable[[Progress], None] | None = None) -> Path:
        """Train to the end, telling `watch` on the way; returns the last snapshot's folder."""
        self._watch = watch
        if not self.finished:
            self._begin_epoch(self.trainer.at.epoch)
            self.trainer.run()
        return self._files.snapshot(self.options.snapshots)

    def progress(self) -> Progress:
        """Where the training is."""
        at = self.trainer.at
        return Progress(self.trainer.step, self.options.steps, at.epoch, dict(self.evaluation), **self._counts())

    def _counts(self) -> dict[str, Any]:
        """What every kind of run tells of its progress in the same way."""
        last = {name.removeprefix(LEARNER): value for name, value in self.trainer.at.last.items()}
        losses = {name: value for name, value in last.items() if name.startswith("loss")}
        return {"games": self.games, "simulations": self.simulations, "losses": losses}

    @property
    def simulations(self) -> int:
        """Simulations of the policy's searches so far; 0 if it makes none."""
        return int(getattr(self.policy, "searched", 0))

    def keep(self) -> Path:
        """Write the policy as it is now into a checkpoint of its own, which changes nothing of the run."""
        folder = self.folder / f"step-{self.progress().step:011d}"
        if not folder.exists():
            self._write_checkpoint(folder)
        return folder

    def _write_checkpoint(self, folder: Path) -> None:
        """Write the policy into a new folder."""
        extra = {"env_step": self.trainer.at.env_step, "evaluation": self.evaluation}
        save_policy(folder, self.policy, self.algo, self.task, self.config, extra)

    def _collecting_trainer(
        self,
        policy: BasePolicy,
        collector: Collects,
        step_per_collect: int,
        reward_metric: RewardMetric | None = None,
        steps: int | None = None,
    ) -> BaseTrainer:
        """A trainer of one epoch a snapshot, on- or off-policy as the algorithm is; `policy` may be a manager.

        It takes `steps`, by default all that there are.
        """
        options, config = self.options, self.config
        steps = options.steps if steps is None else steps
        if options.snapshots > 1 and steps < options.snapshots * step_per_collect:
            share = "" if steps == options.steps else f" (of which one learner has {steps})"
            raise UsageError(
                f"steps={options.steps}{share} are too few for snapshots={options.snapshots}: nothing is learned "
                f"between some of them, since {step_per_collect} steps or more are taken at once"
            )
        schedule = Schedule(
            max_epoch=options.snapshots,
            step_per_epoch=-(-steps // options.snapshots),
            batch_size=getattr(config, "batch_size", 1),  # an algorithm that takes all at once has none
            step_per_collect=step_per_collect,
            verbose=False,
        )
        hooks = Hooks(
            train_fn=self._before_collect,
            save_checkpoint_fn=self._save,
            reward_metric=reward_metric,
            collect_fn=self._after_collect,
        )
        if self.algorithm.data == "on-policy":
            return OnpolicyTrainer(policy, collector, None, schedule, getattr(config, "repeat", 1), hooks)
        return OffpolicyTrainer(policy, collector, None, schedule, config.update_per_step, hooks)

    def _after_collect(self, stats: CollectStats) -> None:
        """Take note of what a collection brought."""
        self.games += stats.n_collected_episodes
        self._tell()

    def _tell(self) -> None:
        if self._watch is not None:
            self._watch(self.progress())

    def _before_collect(self, epoch: int, step: int) -> None:  # noqa: B027  # most have nothing to set
        """Set what changes over the run."""

    # --- saving -------------------------------------------------------------------------------------------------

    def _save(self, epoch: int, env_step: int, gradient_step: int) -> None:
        """Write a snapshot, measure it, and save what is needed to go on from here."""
        self.evaluation = self._evaluate()
        figures = {f"score/{name}": score for name, score in self.evaluation.items()}
        if (pool := self.progress().pool_score) is not None:
            figures["score/pool"] = pool
        self.trainer.logger.write("run/step", self.trainer.step, figures)
        self._write_checkpoint(self._files.snapshot(epoch))
        self._begin_epoch(epoch)
        state = {"epoch": epoch, "env_step": env_step, "gradient_step": gradient_step, "evaluation": self.evaluation}
        arrays = learner_arrays(self.policy)
        arrays.further = self._further_arrays()
        self._files.write_state(state | self._further_figures(), arrays)

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Take over what `_save` wrote; `CheckpointError` if it is broken."""
        arrays = self._files.read_arrays()
        restore_learner(self.policy, arrays)
        self._take_up(state, arrays.get("further", Batch()))
        at = self.trainer.at
        at.epoch, at.env_step, at.gradient_step = state["epoch"], state["env_step"], state["gradient_step"]
        self.evaluation = dict(state["evaluation"])

    def _description(self) -> dict[str, Any]:
        """What was asked for, as far as it decides what comes of it."""
        run = dataclasses.asdict(self.options)
        for detail in ("out", "resume", "threads", "device"):
            del run[detail]
        return {
            "game": self.task.name,
            "options": dict(self.task.options),
            "algorithm": self.algo,
            "config": dataclasses.asdict(self.config),
            "run": {key: str(value) if isinstance(value, Path) else value for key, value in run.items()},
        }


def learner_arrays(policy: BasePolicy) -> Batch:
    """What a learner needs to go on: its weights, what its optimizers remember, and what it remembers besides."""
    optimizers = {str(number): optimizer_arrays(optim) for number, optim in enumerate(optimizers_of(policy))}
    return Batch(weights=dict(policy.state_dict()), optimizers=optimizers, memory=policy.memory())


def restore_learner(policy: BasePolicy, arrays: Batch) -> None:
    """Take over what `learner_arrays` gave."""
    arrays.weights.to_torch()
    policy.load_state_dict(dict(arrays.weights.items()))
    for number, optimizer in enumerate(optimizers_of(policy)):
        restore_optimizer(optimizer, arrays.get("optimizers", Batch()).get(str(number), Batch()))
    policy.recall(arrays.get("memory", Batch()))


def require_collecting(algo: str) -> None:
    """`UsageError` for algorithms that learn offline alone."""
    if learning_algorithm(algo).data == "offline":
        raise UsageError(f"{algo!r} learns offline, from transitions in a file: give --data FILE")


def torch_device(name: str) -> torch.device:
    """The device of a name; `UsageError` for one that this machine lacks."""
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0]
        raise UsageError(f"device {name!r} cannot be used here ({reason}); cpu always can") from None
    return device
