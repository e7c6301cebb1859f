"""The trials of a sweep as Optuna keeps them (Akiba et al. 2019, arXiv 1907.10902), in an SQLite file."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from arena.base.errors import UsageError
from arena.base.extras import install_command
from arena.base.seeding import spawn_seeds
from arena.training.sweep.search_space import Dimension, choice_text

try:
    import optuna
    from optuna.trial import TrialState
except ImportError:
    raise UsageError(f"a sweep needs Optuna: {install_command('sweep')}") from None

PrunerName = Literal["median", "halving", "none"]
FILE, NAME, MESSAGE = "trials.sqlite", "sweep", "message"
"""Name of the file, of the study in it, and of the attribute of a trial that says why it failed or was stopped."""
STARTUP = 5
"""Trials that are drawn at random before the others are chosen, and trials before the median prunes."""
WAIT_S = 60.0
"""Seconds that a process waits for its turn to write."""


@dataclass(frozen=True)
class TrialRow:
    """Knowledge of a trial so far."""

    number: int
    state: str
    """complete, pruned, fail or running."""
    values: Mapping[str, Any]
    """Values of the options that are searched; choices as texts."""
    curve: Sequence[tuple[int, float]]
    """Number and value of every snapshot so far."""
    value: float | None
    """Value at the end, or of the last snapshot so far."""
    message: str


class TrialStudy:
    """The trials of a sweep; any number of processes may read and write them.

    Args:
        folder: folder of the file, which is made if there is none.
        maximize: whether higher values are better.
        pruner: which trials are stopped early.

    """

    def __init__(self, folder: Path, maximize: bool, pruner: PrunerName):
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        if "?" in str(folder):  # which would begin the options of the database's URL
            raise UsageError(f"{folder}: a sweep cannot be in a folder with a question mark in its name")
        url = f"sqlite:///{folder / FILE}"
        storage = optuna.storages.RDBStorage(url, engine_kwargs={"connect_args": {"timeout": WAIT_S}})
        self._study = optuna.create_study(
            storage=storage,
            study_name=NAME,
            direction="maximize" if maximize else "minimize",
            pruner=_pruner(pruner),
            load_if_exists=True,
        )

    def begin(self, dimensions: Sequence[Dimension], usual: Mapping[str, Any]) -> None:
        """Make the usual values those of the first trial, if there is none yet and they are in the space."""
        if not self._study.trials and all(one.holds(usual[one.name]) for one in dimensions):
            first = {one.name: choice_text(usual[one.name]) if one.choices else usual[one.name] for one in dimensions}
            self._study.enqueue_trial(first)

    def pending(
        self, dimensions: Sequence[Dimension], total: int, seed: int, parallel: bool
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield number and values of trials: those that were interrupted, then new ones up to `total`.

        The values of a new one are chosen when it is asked for, by the results that are there by then.
        """
        for trial in self._study.get_trials(states=[TrialState.RUNNING]):
            yield trial.number, self._suggest(trial.number, dimensions, seed, parallel)
        while self._num_started < total:
            number = self._num_started
            self._sample_by(seed, number, parallel)
            self._study.ask()
            yield number, self._suggest(number, dimensions, seed, parallel)

    def report(self, number: int, snapshot: int, value: float) -> None:
        """Note the value of a snapshot, unless it is noted already."""
        if self.snapshots(number) < snapshot:
            self._trial(number).report(value, snapshot)

    def lags_behind(self, number: int) -> bool:
        """Return whether a trial should be stopped, by its last snapshot and the other trials."""
        return self._trial(number).should_prune()

    def snapshots(self, number: int) -> int:
        """Return the number of snapshots whose value has been noted."""
        return max(self._study.trials[number].intermediate_values, default=0)

    def end(self, number: int, state: Literal["COMPLETE", "PRUNED", "FAIL"], value: float | None, message: str) -> None:
        """Note how a trial has ended."""
        if message:
            self._trial(number).set_user_attr(MESSAGE, message)
        self._study.tell(number, value, TrialState[state], skip_if_finished=True)

    def rows(self) -> list[TrialRow]:
        """Return all trials that have begun, in order."""
        return [_row(trial) for trial in self._study.trials if trial.state is not TrialState.WAITING]

    @property
    def _num_started(self) -> int:
        return sum(trial.state is not TrialState.WAITING for trial in self._study.trials)

    def _suggest(self, number: int, dimensions: Sequence[Dimension], seed: int, parallel: bool) -> dict[str, Any]:
        """Return the values of a trial; they are chosen where it was interrupted before it had them."""
        self._sample_by(seed, number, parallel)
        trial = self._trial(number)
        return {one.name: one.suggest(trial) for one in dimensions}

    def _sample_by(self, seed: int, number: int, parallel: bool) -> None:
        """Choose the values of a trial by a random stream of its own, so that an interruption changes nothing."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            self._study.sampler = optuna.samplers.TPESampler(
                seed=spawn_seeds(seed, number, count=1)[0] % 2**32, n_startup_trials=STARTUP, constant_liar=parallel
            )

    def _trial(self, number: int) -> optuna.Trial:
        """Return a trial that goes on, in whatever process; Optuna's own way is to begin it in the same one."""
        return optuna.Trial(self._study, self._study.trials[number]._trial_id)


def _pruner(name: PrunerName) -> optuna.pruners.BasePruner:
    if name == "median":
        return optuna.pruners.MedianPruner(n_startup_trials=STARTUP, n_warmup_steps=1)
    return optuna.pruners.SuccessiveHalvingPruner() if name == "halving" else optuna.pruners.NopPruner()


def _row(trial: optuna.trial.FrozenTrial) -> TrialRow:
    curve = sorted(trial.intermediate_values.items())
    value = trial.value if trial.value is not None else curve[-1][1] if curve else None
    message = str(trial.user_attrs.get(MESSAGE, ""))
    return TrialRow(trial.number, trial.state.name.lower(), dict(trial.params), curve, value, message)
