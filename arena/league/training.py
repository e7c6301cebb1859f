"""Self-play training in a league: a trainer, a pool of snapshots, and everything saved so that it can go on."""

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from arena.collector.collector import Collector
from arena.data import VectorReplayBuffer
from arena.data.batch import Batch
from arena.data.stats import CollectStats
from arena.env.native import GameVectorEnv
from arena.errors import UsageError
from arena.league import matchmaker
from arena.league.config import LeagueConfig, RunConfig
from arena.league.evaluation import score_against
from arena.league.folder import RunFolder
from arena.league.payoff import Payoff
from arena.league.seating import LEARNER, LeagueSeating
from arena.policy.checkpoint import load_policy, save_policy
from arena.policy.kinds import Algorithm, Spaces
from arena.policy.optimizer import optimizer_arrays, restore_optimizer
from arena.registry import agent_kind, make_agent
from arena.seeding import spawn_seeds
from arena.trainer.base import BaseTrainer, Hooks, Schedule
from arena.trainer.logger import BaseLogger
from arena.trainer.offpolicy import OffpolicyTrainer
from arena.trainer.onpolicy import OnpolicyTrainer
from games.engine.game import Game


@dataclasses.dataclass(frozen=True)
class Progress:
    """Where a training is, for whoever watches it."""

    step: int
    """Moves played."""
    total_steps: int
    snapshots: int
    """Snapshots written."""
    pool_score: float | None
    """Score against the snapshots met since the last one was written, a draw is half."""
    evaluation: Mapping[str, float]
    """Score of the newest snapshot against each fixed agent, by spec."""


class SelfPlayTraining:
    """Trains one agent by self-play in a run folder.

    The folder holds `run.json` (what was asked for), `snapshot-0001`, ... (checkpoints), `training` (everything
    needed to go on) and TensorBoard events. All random streams start anew, from the seed and the snapshot's number,
    whenever a snapshot is written: so a run that was killed and goes on from its last snapshot ends where it would
    have ended anyway.

    Raises `UsageError` if the folder is in use (without `resume`), or holds another run (with it).
    """

    def __init__(
        self,
        game: Game,
        algo: str,
        config: Any = None,
        run: RunConfig | None = None,
        league: LeagueConfig | None = None,
    ):
        self.game, self.algo = game, algo
        self.algorithm = _algorithm(algo)
        self.run_config, self.league_config = run or RunConfig(), league or LeagueConfig()
        self.config = config or self.algorithm.config()
        self.folder = self.run_config.out or Path("runs") / f"{game.name}-{algo}"
        self._moves = self.run_config.moves if self.algorithm.data == "on-policy" else 1
        _require_distinct_snapshots(self.run_config, self.run_config.boards * self._moves)
        references = {spec: make_agent(spec, game) for spec in self.league_config.references}
        self.evaluators = {spec: make_agent(spec, game) for spec in self.run_config.evaluation}
        self._files = RunFolder(self.folder)
        state = self._files.claim(self._description(), self.run_config.resume)
        torch.set_num_threads(self.run_config.threads or torch.get_num_threads())
        torch.manual_seed(self.run_config.seed)  # initial weights
        self.policy = self.algorithm.build(Spaces.of_game(game), self.config, True)
        self.optimizer: torch.optim.Optimizer = self.policy.optim  # type: ignore[assignment]  # in training it has one
        self.seating = LeagueSeating(
            self.policy,
            list(references.values()),
            game.num_players,
            self.league_config.self_play,
            self.league_config.pool,
            self.league_config.opponents,
        )
        self.payoff, self._recent = Payoff(), Payoff()
        self.evaluation: dict[str, float] = {}
        self._watch: Callable[[Progress], None] | None = None
        self.trainer = self._make_trainer()
        if state is not None:
            self._restore(state)

    def set_logger(self, logger: BaseLogger) -> None:
        """Log figures there from now on."""
        self.trainer.logger = logger

    @property
    def finished(self) -> bool:
        """Whether all snapshots have been written."""
        return self.trainer.at.epoch >= self.run_config.snapshots

    def train(self, watch: Callable[[Progress], None] | None = None) -> Path:
        """Train to the end, telling `watch` after every collection; returns the last snapshot's folder."""
        self._watch = watch
        if not self.finished:
            self._begin_epoch(self.trainer.at.epoch)
            self.trainer.run()
        return self._files.snapshot(self.run_config.snapshots)

    # --- the loop -----------------------------------------------------------------------------------------------

    def _make_trainer(self) -> BaseTrainer:
        run, on_policy = self.run_config, self.algorithm.data == "on-policy"
        env = GameVectorEnv(self.game, run.boards)
        rings = run.boards * self.game.num_players
        # a seat's ring takes all it can be asked in one collection; off-policy, its part of what is remembered
        capacity = rings * (self._moves + 1) if on_policy else max(self.config.buffer_size, 2 * rings)
        self.collector = Collector(
            self.seating.manager, env, VectorReplayBuffer(capacity, rings), exploration_noise=not on_policy
        )
        schedule = Schedule(
            max_epoch=run.snapshots,
            step_per_epoch=-(-run.steps // run.snapshots),
            batch_size=self.config.batch_size,
            step_per_collect=run.boards * self._moves,
            verbose=False,
        )
        hooks = Hooks(
            train_fn=self._anneal,
            save_checkpoint_fn=self._save,
            reward_metric=lambda returns: returns[:, 0],
            collect_fn=self._after_collect,
        )
        manager = self.seating.manager
        if on_policy:
            return OnpolicyTrainer(manager, self.collector, None, schedule, self.config.repeat, hooks)
        return OffpolicyTrainer(manager, self.collector, None, schedule, self.config.update_per_step, hooks)

    def _anneal(self, epoch: int, env_step: int) -> None:
        """The step size falls linearly to a twentieth over the run."""
        left = max(0.05, 1.0 - env_step / self.run_config.steps)
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.learning_rate * left

    def _after_collect(self, stats: CollectStats) -> None:
        if stats.players is not None:
            self.payoff.record(stats.players, stats.returns, LEARNER)
            self._recent.record(stats.players, stats.returns, LEARNER)
        if self._watch is not None:
            self._watch(self.progress())

    def progress(self) -> Progress:
        """Where the training is."""
        pool = {label for label in self._recent.counts if label > LEARNER}
        at = self.trainer.at
        return Progress(at.env_step, self.run_config.steps, at.epoch, self._recent.score(pool), dict(self.evaluation))

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
        self._recent = Payoff()

    def _load(self, number: int) -> Any:
        """A snapshot as an opponent: its own copy of the weights, moving as it did in training."""
        return load_policy(self.algo, self.algorithm, self.game, str(self._files.snapshot(number))).train()

    # --- saving -------------------------------------------------------------------------------------------------

    def _save(self, epoch: int, env_step: int, gradient_step: int) -> None:
        """Write a snapshot, measure it, and save what is needed to go on from here."""
        self.evaluation = {
            spec: score_against(self.game, self.policy, agent, self.run_config.evaluation_games, self.run_config.seed)
            for spec, agent in self.evaluators.items()
        }
        figures = {f"score/{spec}": score for spec, score in self.evaluation.items()}
        pool = self.progress().pool_score
        self.trainer.logger.write(
            "league/env_step", env_step, figures if pool is None else {**figures, "score/pool": pool}
        )
        extra = {"env_step": env_step, "evaluation": self.evaluation}
        save_policy(self._files.snapshot(epoch), self.policy, self.algo, self.game, self.config, extra)
        self._begin_epoch(epoch)
        state = {
            "epoch": epoch,
            "env_step": env_step,
            "gradient_step": gradient_step,
            "payoff": self.payoff.as_json(),
            "labels": self.seating.manager.labels.tolist(),
            "evaluation": self.evaluation,
        }
        self._files.write_state(state, self._arrays())

    def _arrays(self) -> Batch:
        return Batch(
            weights=dict(self.policy.state_dict()),
            optimizer=optimizer_arrays(self.optimizer),
            collector=self.collector.arrays(),
            buffer=self.collector.buffer.arrays(),
        )

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Take over what `_save` wrote; `CheckpointError` if it is broken."""
        arrays = self._files.read_arrays()
        arrays.weights.to_torch()
        self.policy.load_state_dict(dict(arrays.weights.items()))
        restore_optimizer(self.optimizer, arrays.get("optimizer", Batch()))
        self.collector.restore(arrays.collector)
        self.collector.buffer.restore(arrays.buffer)
        for slot, label in enumerate(state["labels"]):
            if label > LEARNER:
                self.seating.seat_snapshot(slot, label, self._load(label))
        at = self.trainer.at
        at.epoch, at.env_step, at.gradient_step = state["epoch"], state["env_step"], state["gradient_step"]
        self.payoff, self.evaluation = Payoff.from_json(state["payoff"]), dict(state["evaluation"])

    def _description(self) -> dict[str, Any]:
        run = dataclasses.asdict(self.run_config)
        for detail in ("out", "resume", "threads"):
            del run[detail]
        return {
            "game": self.game.name,
            "options": dict(self.game.options),
            "algorithm": self.algo,
            "config": dataclasses.asdict(self.config),
            "run": run,
            "league": dataclasses.asdict(self.league_config),
        }


def _algorithm(name: str) -> Algorithm:
    kind = agent_kind(name)
    if kind.algorithm is None:
        raise UsageError(f"{name!r} plays but does not learn; 'arena agents' lists the algorithms that do")
    return kind.algorithm


def _require_distinct_snapshots(run: RunConfig, collection: int) -> None:
    """Refuse so many snapshots that nothing would be learned between some of them."""
    if run.snapshots > 1 and run.steps < run.snapshots * collection:
        raise UsageError(
            f"steps={run.steps} are too few for snapshots={run.snapshots}: each takes {collection} moves or more "
            f"(boards={run.boards}, moves={run.moves})"
        )
