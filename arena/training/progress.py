"""Progress of a training: what is reported, who reports it, and what watchers may ask of a training."""

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from arena.data.stats import CollectStats
from arena.match.verdict import MatchRecord
from arena.trainer.base import BaseTrainer
from arena.trainer.logger import BaseLogger
from arena.training.scores import Measure

LEARNER = "policy_0/"
"""Prefix that a manager gives to the learner's figures."""


@dataclasses.dataclass(frozen=True)
class Progress:
    """Progress of a training."""

    step: int
    """Number of steps taken: moves in games, environment steps, or gradient steps of offline training."""
    total_steps: int
    snapshots: int
    """Number of snapshots written."""
    total_snapshots: int
    """Number of snapshots that there will be."""
    evaluation: Mapping[str, float]
    """Scores of the newest snapshot: against fixed agents by spec, 0 to 1, or returns; see `arena.training.scores`."""
    pool_score: float | None = None
    """In a league, the score since the last snapshot against the pool's members, 0 to 1; a draw counts half."""
    elo: tuple[float, float] | None = None
    """In a league, Elo of the newest snapshot and half-width of its 95 % interval."""
    elo_zero: str | None = None
    """Agent whose Elo is 0."""
    refused: int = 0
    """In a league, number of snapshots in a row that the gate has refused."""
    games: int = 0
    """Number of games or episodes that ended in this process."""
    simulations: int = 0
    """Number of search simulations in this process."""
    losses: Mapping[str, float] = dataclasses.field(default_factory=dict)
    """Mean losses of the latest gradient steps, by name."""
    worker_figures: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """With workers, counts of stale steps, dropped steps and lost workers, by figure name."""
    measure: Measure = "score"
    """What the snapshots are measured by."""


Watch = Callable[[Progress], None]
"""Called with the progress of a training on its way."""


class TrainingRun(Protocol):
    """A training in a folder of its own, as command line, screens and loggers see it."""

    @property
    def folder(self) -> Path:
        """Folder of the run."""

    @property
    def finished(self) -> bool:
        """True if all snapshots have been written."""

    def train(self, watch: Watch | None = None) -> Path:
        """Train to the end, calling `watch` on the way; return the folder of the last snapshot."""

    def progress(self) -> Progress:
        """Return the progress of the training."""

    def set_logger(self, logger: BaseLogger) -> None:
        """Log figures to `logger` from now on."""

    def save_checkpoint(self) -> Path:
        """Write the current policy into an extra checkpoint and return its folder; the run is not affected."""

    def latest_game(self) -> MatchRecord | None:
        """Return the latest finished training game; None if games are not recorded."""


class ProgressReporter:
    """Counts the games of a training in this process, and reports the progress to whoever watches.

    Args:
        progress: returns the progress.

    """

    def __init__(self, progress: Callable[[], Progress]):
        self.watch: Watch | None = None
        self.games = 0
        """Number of games or episodes that ended in this process."""
        self._progress = progress

    def count(self, stats: CollectStats) -> None:
        """Count the games of a collection, and report the progress."""
        self.games += stats.n_collected_episodes
        self.report()

    def report(self) -> None:
        """Report the progress, if anybody watches."""
        if self.watch is not None:
            self.watch(self._progress())


def losses_of(trainer: BaseTrainer) -> dict[str, float]:
    """Return the mean losses of the latest gradient steps of a policy, or of the learner of a manager, by name."""
    last = {name.removeprefix(LEARNER): value for name, value in trainer.at.last.items()}
    return {name: value for name, value in last.items() if name.startswith("loss")}
