"""Self-play training in a league: a pool of snapshots, and what is saved so that it can go on."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.collector.collector import Collector
from arena.data import VectorReplayBuffer
from arena.data.batch import Batch
from arena.data.stats import CollectStats
from arena.env.native import GameVectorEnv
from arena.league import matchmaker
from arena.league.config import LeagueConfig, RunConfig
from arena.league.seating import LEARNER, LeagueSeating
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import Spaces
from arena.registry import learning_algorithm, make_agent
from arena.runs.evaluation import scores_against
from arena.runs.run import Progress, Run, require_collecting
from arena.seeding import spawn_seeds
from arena.trainer.base import BaseTrainer
from games.engine.game import Game


@dataclass
class LearnerPayoff:
    """Wins, draws and losses of the learner against each opponent, by its label."""

    counts: dict[int, list[int]] = field(default_factory=dict)

    def record(self, players: NDArray[np.int64], returns: NDArray[np.float64], learner: int) -> None:
        """Count finished games by labels of `players` [E, P] and `returns` [E, P]; those among itself do not count."""
        rows, seats = np.nonzero((players == learner) & ((players != learner).sum(axis=1, keepdims=True) > 0))
        for row, seat in zip(rows.tolist(), seats.tolist(), strict=True):
            others = players[row] != learner
            margin = returns[row, seat] - returns[row, others].max()
            outcome = 0 if margin > 0 else 1 if margin == 0 else 2
            for label in np.unique(players[row, others]).tolist():
                self.counts.setdefault(label, [0, 0, 0])[outcome] += 1

    def score(self, labels: set[int]) -> float | None:
        """Share of points (a draw is half) against all of `labels` together; None before the first game."""
        wins, draws, losses = np.sum([self.counts.get(label, [0, 0, 0]) for label in labels] or [[0, 0, 0]], axis=0)
        games = wins + draws + losses
        return float((wins + draws / 2) / games) if games else None

    def as_json(self) -> dict[str, list[int]]:
        """For a file."""
        return {str(label): counts for label, counts in self.counts.items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "LearnerPayoff":
        """From a file."""
        return cls({int(label): list(counts) for label, counts in data.items()})


class SelfPlayTraining(Run):
    """Trains one agent by self-play, against itself, its snapshots and fixed references; see `Run`."""

    def __init__(
        self,
        game: Game,
        algo: str,
        config: Any = None,
        run: RunConfig | None = None,
        league: LeagueConfig | None = None,
    ):
        self.game = game
        self.run_config, self.league_config = run or RunConfig(), league or LeagueConfig()
        require_collecting(algo)
        self._moves = self.run_config.moves if learning_algorithm(algo).data == "on-policy" else 1
        self._references = {spec: make_agent(spec, game) for spec in self.league_config.references}
        self.evaluators = {spec: make_agent(spec, game) for spec in self.run_config.evaluation}
        self.payoff, self._recent = LearnerPayoff(), LearnerPayoff()
        super().__init__(game, Spaces.of_game(game), algo, config, self.run_config)

    def _make_trainer(self) -> BaseTrainer:
        run = self.run_config
        self.seating = LeagueSeating(
            self.policy,
            list(self._references.values()),
            self.game.num_players,
            self.league_config.self_play,
            self.league_config.pool,
            self.league_config.opponents,
        )
        self._full_rates = [[group["lr"] for group in optim.param_groups] for optim in self._optimizers]
        on_policy = self.algorithm.data == "on-policy"
        env = GameVectorEnv(self.game, run.boards)
        rings = run.boards * self.game.num_players
        # a seat's ring takes all it can be asked in one collection; off-policy, its part of what is remembered
        capacity = rings * (self._moves + 1) if on_policy else max(self.config.buffer_size, 2 * rings)
        self.collector = Collector(
            self.seating.manager, env, VectorReplayBuffer(capacity, rings), exploration_noise=not on_policy
        )
        steps = run.boards * self._moves
        return self._collecting_trainer(self.seating.manager, self.collector, steps, lambda returns: returns[:, 0])

    def _before_collect(self, epoch: int, step: int) -> None:
        """Step sizes fall linearly to a twentieth over the run."""
        left = max(0.05, 1.0 - step / self.options.steps)
        for optimizer, rates in zip(self._optimizers, self._full_rates, strict=True):
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * left

    def _after_collect(self, stats: CollectStats) -> None:
        if stats.players is not None:
            self.payoff.record(stats.players, stats.returns, LEARNER)
            self._recent.record(stats.players, stats.returns, LEARNER)
        super()._after_collect(stats)

    def progress(self) -> Progress:
        """Where the training is."""
        pool = {label for label in self._recent.counts if label > LEARNER}
        return dataclasses.replace(super().progress(), pool_score=self._recent.score(pool))

    def _begin_epoch(self, number: int) -> None:
        """Start every random stream anew and invite opponents; `number` snapshots have been written."""
        seating, buffer, invitation, *rest = spawn_seeds(
            self.run_config.seed, number, count=3 + len(self.seating.manager.policies)
        )
        self.seating.rng = np.random.default_rng(seating)
        self.collector.buffer.rng = np.random.default_rng(buffer)
        rule = matchmaker.RULES[self.league_config.matchmaker]
        if number and self.league_config.pool > 0:
            chosen = rule(range(1, number + 1), self.league_config.opponents, np.random.default_rng(invitation))
            self.seating.invite({snapshot: self._load(snapshot) for snapshot in chosen})
        for policy, seed in zip(self.seating.manager.policies, rest, strict=True):
            policy.reset(seed)  # a policy that holds several places keeps the last seed
        self._recent = LearnerPayoff()

    def _load(self, number: int) -> Any:
        """A snapshot as an opponent: its own copy of the weights, moving as it did in training."""
        snapshot = load_policy(self.algo, self.algorithm, self.game, str(self._files.snapshot(number)))
        return snapshot.to(self.policy.device).train()

    def _evaluate(self) -> dict[str, float]:
        run = self.run_config
        return scores_against(self.game, self.policy, self.evaluators, run.evaluation_games, run.seed)

    def _further_figures(self) -> dict[str, Any]:
        return {"payoff": self.payoff.as_json(), "labels": self.seating.manager.labels.tolist()}

    def _further_arrays(self) -> Batch:
        return Batch(collector=self.collector.arrays(), buffer=self.collector.buffer.arrays())

    def _take_up(self, figures: Mapping[str, Any], arrays: Batch) -> None:
        self.collector.restore(arrays.collector)
        self.collector.buffer.restore(arrays.buffer)
        for slot, label in enumerate(figures["labels"]):
            if label > LEARNER:
                self.seating.seat_snapshot(slot, label, self._load(label))
        self.payoff = LearnerPayoff.from_json(figures["payoff"])

    def _description(self) -> dict[str, Any]:
        return super()._description() | {"league": dataclasses.asdict(self.league_config)}
