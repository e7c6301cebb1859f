"""Admission of snapshots to the league: the gate, and evaluation against earlier members."""

from arena.base.errors import UsageError
from arena.base.seeding import spawn_seeds
from arena.training.checkpointer import Checkpointer
from arena.training.evaluation import GameCounts, counts_against
from arena.training.league.config import LeagueConfig, RunConfig
from arena.training.league.gate import GateResult, examine, opening_plies
from arena.training.league.learner_in_training import LearnerInTraining
from arena.training.league.pool import Pool
from arena.training.league.records import League, Learner
from arena.training.league.turns import TurnResult, snapshot_folder
from arena.training.setup import TrainingSetup
from games.engine.game import Game


class PoolAdmission:
    """Tests snapshots at the gate, and writes and evaluates those that pass.

    Args:
        setup: the training; `evaluation_games` of its options are played against each earlier member.
        config: sets the gate's test, and how many earlier members a new one is evaluated against.
        pool: loads earlier members.
        checkpointer: writes snapshots.

    """

    def __init__(
        self, setup: TrainingSetup[Game, RunConfig], config: LeagueConfig, pool: Pool, checkpointer: Checkpointer
    ):
        self._setup, self._config = setup, config
        self._pool, self._checkpointer = pool, checkpointer
        self.examined: GateResult | None = None
        """Result of the last snapshot at the gate; None before the first."""

    def result(self, league: League, learner: LearnerInTraining, step: int, seed: int) -> TurnResult:
        """Return what comes of the snapshot of an evaluated learner, `step` moves on, at the end of its turn."""
        gate_seed, *seeds = spawn_seeds(seed, count=1 + len(league.members))
        record = learner.record
        before = league.members_of(record.name)
        if record.role == "main" and self._config.gate != "none" and before:
            predecessor = self._pool.load(before[-1])
            self.examined = examine(self._setup.task, learner.policy, predecessor, self._config, gate_seed)
            if not self.examined.passed:
                return TurnResult(step, "refused")
        folder = self._setup.folder / snapshot_folder(league, record, record.turns + 1)
        sha256 = self._checkpointer.write_policy(folder, learner.policy, step, learner.evaluation)
        against = dict(learner.results.counts) | self._against_earlier(league, learner, seeds)
        return TurnResult(step, "joined", sha256, against, learner.results.returns)

    def require_progress(self, record: Learner) -> None:
        """Raise `UsageError` if the gate has refused `gate_tries` snapshots of a learner in a row."""
        tries = self._config.gate_tries
        if tries and record.refused % tries == 0 and self.examined is not None:
            raise UsageError(
                f"the gate has refused {record.refused} snapshots of {record.name} in a row, the last with "
                f"{self.examined.summary}; continue with --resume, or start a new training with a lower gate"
            )

    def _against_earlier(self, league: League, learner: LearnerInTraining, seeds: list[int]) -> dict[str, GameCounts]:
        """Return counts of games of a snapshot against members of the league, by name; none where nobody wins."""
        earlier = league.members if self._setup.task.competitive else []
        if self._config.matchmaker != "psro":  # PSRO needs the scores between all pairs of members
            earlier = earlier[len(earlier) - min(len(earlier), self._config.earlier_met) :]
        game, games = self._setup.task, self._setup.options.evaluation_games
        return {
            other.name: counts_against(game, learner.policy, self._pool.load(other), games, seed, opening_plies(game))
            for other, seed in zip(earlier, seeds, strict=False)
        }
