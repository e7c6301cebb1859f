"""`PolicyRun`: the training of one policy in a folder of its own, saved at every snapshot."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from arena.base.typed import Count, field
from arena.data.batch import Batch
from arena.data.statistics import finite
from arena.match.verdict import MatchRecord
from arena.policy.base import BasePolicy
from arena.trainer.base import BaseTrainer, Hooks
from arena.trainer.logger import BaseLogger
from arena.training.checkpointer import Checkpointer, learner_state_dict, load_learner_state_dict, require_learner
from arena.training.evaluation import Evaluator
from arena.training.options import RunOptions
from arena.training.progress import Progress, ProgressReporter, Watch, losses_of
from arena.training.setup import TrainingSetup


class Experience(Protocol):
    """Source of experience for a policy: environments that it acts in, or transitions in a file."""

    reports: bool
    """True if its trainer calls `Hooks.collect_fn`, so that the progress is known between two snapshots."""

    def trainer(self, hooks: Hooks) -> BaseTrainer:
        """Return the trainer of the policy, with one epoch a snapshot."""

    def restart(self, number: int) -> None:
        """Restart every random stream after `number` snapshots; calling it twice has no further effect."""

    def state_dict(self) -> Batch:
        """Return what has to be saved of it, as arrays."""

    def load_state_dict(self, arrays: Batch) -> None:
        """Load what `state_dict` returned."""


class PolicyRun:
    """Trains one policy in a run folder.

    The folder holds `run.json` (the options), `snapshot-0001`, ... (checkpoints), `training` (the state to resume from)
    and TensorBoard events. Whenever a snapshot is written, all random streams restart from the seed and the snapshot's
    number. So a run that was killed and resumed from its last snapshot has the same result as one that was not. A
    finished run can be made longer; learning rates that depend on the length then follow the new length.

    Raises `UsageError` if the folder is in use (without `resume`), or holds another run (with `resume`).

    Args:
        setup: the task, the algorithm and the options.
        policy: the policy, as `setup` builds it.
        experience: what it learns from.
        evaluator: scores each snapshot.

    """

    def __init__(
        self,
        setup: TrainingSetup[Any, RunOptions],
        policy: BasePolicy,
        experience: Experience,
        evaluator: Evaluator,
    ):
        self.setup, self.policy, self.experience = setup, policy, experience
        self.evaluation: dict[str, float] = {}
        self._evaluator = evaluator
        self._reporter = ProgressReporter(self.progress)
        self.trainer = experience.trainer(Hooks(save_checkpoint_fn=self._save, collect_fn=self._reporter.count))
        self._checkpointer = Checkpointer(setup)
        self._files = self._checkpointer.files
        if (state := self._checkpointer.claim()) is not None:
            with self._files.as_checkpoint_errors():
                self._load(state)
        self._files.confirm()

    @property
    def folder(self) -> Path:
        """Folder of the run."""
        return self._files.path

    @property
    def finished(self) -> bool:
        """True if all snapshots have been written."""
        return self.trainer.at.epoch >= self.setup.options.num_snapshots

    def train(self, watch: Watch | None = None) -> Path:
        """Train to the end, calling `watch` on the way; return the folder of the last snapshot."""
        self._reporter.watch = watch
        if not self.finished:
            self.experience.restart(self.trainer.at.epoch)
        with self._checkpointer.explaining_divergence():
            while not self.finished:
                next(self.trainer)  # an epoch, which `_save` ends
        return self._files.snapshot(self.setup.options.num_snapshots)

    def progress(self) -> Progress:
        """Return the progress of the training."""
        return Progress(
            step=self.trainer.step,
            total_steps=self.setup.options.steps,
            snapshots=self.trainer.at.epoch,
            total_snapshots=self.setup.options.num_snapshots,
            evaluation=dict(self.evaluation),
            games=self._reporter.games,
            simulations=self.policy.searched,
            losses=losses_of(self.trainer),
            measure=self._evaluator.measure,
        )

    def set_logger(self, logger: BaseLogger) -> None:
        """Log figures to `logger` from now on."""
        self.trainer.logger = logger

    def latest_game(self) -> MatchRecord | None:
        """Return None: games of one policy are not recorded."""
        return None

    def save_checkpoint(self) -> Path:
        """Write the current policy into an extra checkpoint and return its folder; the run is not affected."""
        folder = self._files.extra_checkpoint(self.trainer.step)
        if not folder.exists():
            self._write_policy(folder)
        return folder

    def _write_policy(self, folder: Path) -> None:
        self._checkpointer.write_policy(folder, self.policy, self.trainer.at.env_step, self.evaluation)

    # --- saving -------------------------------------------------------------------------------------------------

    def _save(self, epoch: int, env_step: int, gradient_step: int) -> None:
        """End an epoch: evaluate the policy, write a snapshot, and save the state to resume from."""
        self.evaluation = finite(self._evaluator.evaluate(self.policy).scores)
        figures = {f"score/{name}": score for name, score in self.evaluation.items()}
        self.trainer.logger.write("run/step", self.trainer.step, figures)
        self._write_policy(self._files.snapshot(epoch))
        self.experience.restart(epoch)  # before the state is saved: a resumed run begins with the same streams
        state = {"epoch": epoch, "env_step": env_step, "gradient_step": gradient_step, "evaluation": self.evaluation}
        arrays = learner_state_dict(self.policy)
        arrays.further = self.experience.state_dict()
        self._files.write_state(state, arrays)
        if not self.experience.reports:
            self._reporter.report()

    def _load(self, state: Mapping[str, Any]) -> None:
        """Load what `_save` wrote; raise `CheckpointError` if it is broken."""
        counters = self.trainer.at
        counters.epoch, counters.env_step, counters.gradient_step = (
            field(state, key, Count) for key in ("epoch", "env_step", "gradient_step")
        )
        self.evaluation = field(state, "evaluation", dict[str, float])
        arrays = self._files.read_arrays(partial(require_learner, self.policy, prefix=""))
        load_learner_state_dict(self.policy, arrays)
        self.experience.load_state_dict(arrays.get("further", Batch()))
