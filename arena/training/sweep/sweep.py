"""A sweep: short trainings with other hyper-parameters each, which Optuna chooses, and stops where they lag behind.

Every trial is an ordinary run folder. Trials and their values are in an SQLite file of the sweep's folder, where the
workers report to as well: a sweep that was killed goes on with the trials that were under way, from their own states.
"""

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from arena.base.checks import numbers_in, require_at_least
from arena.base.errors import CheckpointError, UsageError
from arena.base.files import read_json
from arena.base.saving import replace_text
from arena.policy.snapshots import RETURN, count_snapshots
from arena.processes.make import make_workers
from arena.training.league.config import RunConfig
from arena.training.live_files import training_lock
from arena.training.make import make_training
from arena.training.options import DESCRIPTION, USUAL_LOGGER, LoggerName, OfflineRunOptions
from arena.training.snapshot_exploitability import exploitability_of, tree_of
from arena.training.sweep.search_space import Dimension, applied
from arena.training.task_names import make_task
from games.engine.game import Game

if TYPE_CHECKING:
    from arena.training.progress import Progress, TrainingRun
    from arena.training.sweep.study import TrialRow, TrialStudy

Objective = Literal["score", "elo", "exploitability"]
SWEEP = "sweep.json"
"""Description of a sweep, in its folder."""


@dataclass(frozen=True)
class SweepConfig:
    """Configuration of a sweep's search."""

    trials: int = 20
    """Trainings, pruned ones included. The first has the settings that are given, if they are in the space."""
    objective: Objective = "score"
    """What is sought. score: mean score against the agents of the evaluation, or the return where nobody wins; elo: the
    rating within the run's own league; exploitability: what a best opponent wins (small games), as little as can be."""
    pruner: Literal["median", "halving", "none"] = "median"
    """Which trials are stopped at a snapshot. median: those below the median of the others there; halving: all but the
    better part, in rungs; none."""

    def __post_init__(self) -> None:
        require_at_least(1, **numbers_in(self, "trials"))


@dataclass(frozen=True)
class TrialJob:
    """A trial to be run."""

    number: int
    values: Mapping[str, Any]
    """Values of the dimensions by name; choices as texts."""


@dataclass(frozen=True)
class SweepSetup:
    """Everything that a worker needs besides its jobs."""

    task: str
    algo: str
    parts: Mapping[str, Any]
    """Options of the trainings: `run`, `config` and, of self-play, `league` and `scale`."""
    dimensions: tuple[Dimension, ...]
    config: SweepConfig
    folder: Path
    logger: LoggerName = USUAL_LOGGER

    def runner(self) -> "TrialRunner":
        """Return the runner of trials, in the process of a worker."""
        return TrialRunner(self)

    def lost(self, job: TrialJob, tries: int, how: str) -> UsageError:
        """Return the error for a trial that ended every worker that tried it."""
        return UsageError(f"{self.folder_of(job.number)}: the worker {how} in {tries} tries to train")

    def folder_of(self, number: int) -> Path:
        """Return the run folder of a trial."""
        return self.folder / f"trial-{number:04}"

    def open_study(self) -> "TrialStudy":
        """Return the trials, from the folder of the sweep."""
        from arena.training.sweep.study import TrialStudy

        return TrialStudy(self.folder, self.maximizes, self.config.pruner)

    @property
    def maximizes(self) -> bool:
        """True if higher values are better."""
        return self.config.objective != "exploitability"

    def description(self) -> dict[str, Any]:
        """Return what determines the trials, as JSON values."""
        parts = {name: asdict(part) for name, part in self.parts.items() if name != "scale"}
        for name in ("out", "resume", "threads", "device"):
            del parts["run"][name]
        dimensions = [asdict(one) for one in self.dimensions]
        config = {name: value for name, value in asdict(self.config).items() if name != "trials"}
        return {"task": self.task, "algo": self.algo, "search": dimensions, **config, **parts}


class TrialRunner:
    """Runs trials in this process, one after the other."""

    def __init__(self, setup: SweepSetup):
        self._setup = setup

    def do(self, job: TrialJob, common: None) -> None:
        """Train, or go on where the trial was interrupted; note how it ended."""
        from arena.training.live import StopRequested

        study = self._setup.open_study()
        try:
            study.end(job.number, "COMPLETE", self._train(job, study), "")
        except StopRequested as stop:
            study.end(job.number, "PRUNED", None, str(stop))
        except UsageError as error:  # values that do not go together, or a training that diverges
            study.end(job.number, "FAIL", None, str(error))

    def close(self) -> None:
        """Do nothing: each trial releases what it holds."""

    def _train(self, job: TrialJob, study: "TrialStudy") -> float:
        """Return the value of a trial at its end; raise `StopRequested` if it lags behind, or a watcher asks for it."""
        from arena.training.live import LiveLogger, StopRequested, live
        from arena.training.loggers import open_logger

        folder, number = self._setup.folder_of(job.number), job.number
        training = self._training(job, folder)

        def watch(progress: "Progress") -> None:
            live_run.update(progress)
            snapshots = count_snapshots(folder)
            if study.snapshots(number) < snapshots:
                study.report(number, snapshots, objective_of(self._setup, progress, folder))
                if progress.step < progress.total_steps and study.lags_behind(number):
                    raise StopRequested(f"pruned at snapshot {snapshots}")

        if not training.finished:
            with live(training) as live_run, open_logger(self._setup.logger, training) as logger:
                training.set_logger(LiveLogger(live_run, logger))
                training.train(watch)
        value = objective_of(self._setup, training.progress(), folder)
        study.report(number, count_snapshots(folder), value)
        return value

    def _training(self, job: TrialJob, folder: Path) -> "TrainingRun":
        """Return the training of a trial, from its last saved state if there is one."""
        setup, is_resumable = self._setup, (folder / DESCRIPTION).is_file()
        if not is_resumable:
            shutil.rmtree(folder, ignore_errors=True)  # the process was killed before there was anything to resume
        parts = applied(setup.parts, setup.dimensions, job.values)
        run = replace(parts["run"], out=folder, resume=is_resumable)
        return make_training(
            make_task(setup.task), setup.algo, parts["config"], run, parts.get("league"), parts.get("scale")
        )


def objective_of(setup: SweepSetup, progress: "Progress", folder: Path) -> float:
    """Return the value of the newest snapshot of a training."""
    if setup.config.objective == "exploitability":
        return exploitability_of(setup.task, f"{setup.algo}:{folder}")
    if setup.config.objective == "elo":
        if progress.elo is None:
            raise UsageError("the training has no Elo: its snapshots met nobody")
        return progress.elo[0]
    if RETURN in progress.evaluation:
        return progress.evaluation[RETURN]
    if not progress.evaluation:
        raise UsageError("the training has no score: its snapshots are evaluated against nobody")
    return sum(progress.evaluation.values()) / len(progress.evaluation)


class Sweep:
    """A sweep ready to be run; close it after use.

    Making it claims its folder, and refuses all that is wrong with the options. `parallel` is a number of trials at the
    same time, in local processes (1: one after the other in this process), or a Ray cluster: "ray", "ray://HOST:PORT",
    whose machines have to share the folder. A folder that holds the sweep is resumed with `resume` only.
    """

    def __init__(self, setup: SweepSetup, parallel: int | str = 1, resume: bool = False):
        import arena.training.sweep.study  # noqa: F401  # refused here, where it is not installed

        self.setup, self._parallel = setup, str(parallel)
        if not re.fullmatch(r"[1-9]\d*|ray(://.+)?", self._parallel):
            raise UsageError(f"parallel={self._parallel!r} is not a number of at least 1, ray or ray://HOST:PORT")
        self._require_objective()
        for_workers = replace(setup, folder=setup.folder.absolute())  # which may be in other folders
        with ExitStack() as stack:
            here = stack.enter_context(closing(for_workers.runner()))
            self._workers = stack.enter_context(closing(make_workers(self._parallel, for_workers, here)))
            self._claim(resume)
            self.study = setup.open_study()
            self._open = stack.pop_all()

    def close(self) -> None:
        """End all worker processes."""
        self._open.close()

    def run(self) -> "list[TrialRow]":
        """Run all trials that are left; return all trials."""
        setup = self.setup
        usual = {one.name: getattr(setup.parts[one.part], one.name) for one in setup.dimensions}
        self.study.begin(setup.dimensions, usual)
        with training_lock(setup.folder), closing(self._workers.do(self._jobs())) as results:
            for _ in results:
                pass
        return self.study.rows()

    def _jobs(self) -> Iterator[TrialJob]:
        setup, seed = self.setup, self.setup.parts["run"].seed
        for number, values in self.study.pending(setup.dimensions, setup.config.trials, seed, self._parallel != "1"):
            yield TrialJob(number, values)

    def _require_objective(self) -> None:
        """Raise `UsageError` for an objective that the trainings have not."""
        setup, task = self.setup, make_task(self.setup.task)
        run, objective = setup.parts["run"], setup.config.objective
        if objective == "elo" and not (isinstance(run, RunConfig) and isinstance(task, Game) and task.competitive):
            raise UsageError("objective=elo is for self-play in a game that somebody wins; take score")
        if objective == "exploitability":
            if not isinstance(task, Game):
                raise UsageError(f"objective=exploitability is for games, not {setup.task}; take score")
            tree_of(setup.task)
        meets_agents = isinstance(run, RunConfig | OfflineRunOptions) and isinstance(task, Game) and task.competitive
        if objective == "score" and meets_agents and not run.evaluation:
            raise UsageError("objective=score needs agents to play against: name some with evaluation")

    def _claim(self, resume: bool) -> None:
        """Make the folder that of this sweep; `UsageError` if it is something else's, or of other options."""
        folder, wanted = self.setup.folder, json.loads(json.dumps(self.setup.description(), default=str))
        try:
            stored = read_json(folder / SWEEP)
        except CheckpointError:
            stored = None
        if stored is None and resume:
            raise UsageError(f"there is no sweep to resume in {folder}")
        if stored is not None and not resume:
            raise UsageError(
                f"{folder} holds a sweep already; resume it with --resume, or choose another folder with --out"
            )
        if stored is not None and stored != wanted:
            differing = ", ".join(sorted(_differing(stored, wanted)))
            raise UsageError(f"the sweep in {folder} was begun with other options: {differing}")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if stored is None:
                if any(folder.iterdir()):
                    raise UsageError(f"{folder} is not empty and holds no sweep; choose another folder with --out")
                replace_text(folder / SWEEP, json.dumps(wanted, indent=2) + "\n")
        except OSError as error:
            raise UsageError(f"{folder}: a folder for a sweep cannot be made here ({error.strerror})") from None


def _differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> set[str]:
    """Return the names of the entries that differ, in nested objects those of their entries."""
    names = set[str]()
    for name in one.keys() | other.keys():
        mine, theirs = one.get(name), other.get(name)
        if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
            names |= _differing(mine, theirs)
        elif mine != theirs:
            names.add(name)
    return names
