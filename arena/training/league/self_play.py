"""`SelfPlayTraining`: learners of a league that take turns, their pool of snapshots, and the saved state."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.base.errors import UsageError
from arena.base.seeding import spawn_seeds
from arena.base.tensors import TensorInfo
from arena.data.stats import CollectStats
from arena.match.verdict import MatchRecord
from arena.policy.base import BasePolicy
from arena.policy.protocol import Policy
from arena.policy.registry import learning_algorithm
from arena.trainer.base import Hooks
from arena.trainer.logger import BaseLogger
from arena.training.checkpointer import Checkpointer, require_learner
from arena.training.evaluation import GameEvaluator, TeamEvaluator, evaluator_of
from arena.training.league.admission import PoolAdmission
from arena.training.league.config import LEAGUES, LeagueConfig, RunConfig, require_rivalry, usual_league
from arena.training.league.curves import PrefixedLogger, newest_rating, turn_figures
from arena.training.league.learner_in_training import LearnerInTraining
from arena.training.league.matchups import Matchups, initial_seeds, moves_between, steps_of
from arena.training.league.payoff import Counts
from arena.training.league.pool import Pool
from arena.training.league.records import League, write_league
from arena.training.league.roles import RESET_PROBABILITY, changes_within_a_turn, is_ready, next_opponents
from arena.training.league.scale import ScaleConfig
from arena.training.league.state import SavedTraining, league_state_dict, load_learner, read_state
from arena.training.league.turns import TurnResult, after_reset, after_turn, new_league, turns_taken
from arena.training.league.workers.collector import WorkersCollector
from arena.training.league.workers.remote_rollouts import remote_rollouts_of
from arena.training.options import RESOURCES
from arena.training.progress import Progress, ProgressReporter, Watch, losses_of
from arena.training.setup import prepare, require_collecting
from arena.training.transitions import require_transitions
from games.engine.game import Game
from games.engine.source_files import stored_name

if TYPE_CHECKING:
    from arena.training.league.sharing import Sharing

ADMISSION = 1
"""Number of the random stream for the end of a turn; those of members follow it."""


class SelfPlayTraining:
    """Trains agents by self-play, against themselves, snapshots of a league and fixed references.

    The learners take turns in this process: main agents first, then exploiters. Turns are equally long for all learners
    of a role, by `steps` and `snapshots`. In a turn only the current learner learns; its opponents do not change
    (unless `teachers_learn`).

    At the end of a turn the learner's snapshot may join the league, the learner may be reset, and everything is saved,
    as in a `PolicyRun`. In addition to the files of every run, the folder holds `league.json` (see `read_league`).

    Args:
        game: the game.
        algo: name of the learning algorithm.
        config: its config; by default the usual one.
        run: length and place of the training.
        league: learners and their opponents; by default the algorithm's usual league.
        scale: workers, and other trainers of the same league.
        described: further entries of `run.json`, and of its resources.

    """

    def __init__(
        self,
        game: Game,
        algo: str,
        config: Any = None,
        run: RunConfig | None = None,
        league: LeagueConfig | None = None,
        scale: ScaleConfig | None = None,
        described: Mapping[str, Any] | None = None,
    ):
        algo = stored_name(algo)
        require_collecting(algo)
        run, scale = run or RunConfig(), scale or ScaleConfig()
        self.league_config = league = league or LEAGUES[usual_league(learning_algorithm(algo))]
        self.game, self.algo = game, algo
        self.evaluator = _evaluator(game, run, league)
        new = new_league(game, algo, league)
        setup = prepare(game, algo, config, run, league.seats)
        shortest = min(steps_of(new.learners, run.steps, league.exploiter_share))
        self.setup = setup.with_fitting_snapshots(shortest, run.boards * moves_between(setup))
        self._checkpointer = Checkpointer(self.setup)
        self._reporter = ProgressReporter(self.progress)
        seeds = initial_seeds(run.seed, len(new.learners))
        policies = [self.setup.build_policy(), *[self.setup.build_policy_from(seed) for seed in seeds[1:]]]
        self.remote_rollouts = remote_rollouts_of(scale, self.setup, league.references, policies[0])
        saved = self._claim(new, scale, described or {})
        self.league = new if saved is None else saved.league
        self.pool = Pool(game, algo, self.folder, self.setup.device)
        self.admission = PoolAdmission(self.setup, league, self.pool, self._checkpointer)
        self.sharing = self._sharing(scale)
        matchups = Matchups.of_policies(self.setup, league, self.league, policies, self.remote_rollouts)
        load_first = self._load_member if saved is None else None
        self.learners = matchups.learners(seeds, self._hooks(), self._names_at, load_first)
        if saved is not None:
            with self._checkpointer.files.as_checkpoint_errors():
                self._load(saved)
        self._checkpointer.files.confirm()
        if self.sharing is not None:
            self.sharing.join()
        write_league(self.folder, self.league)

    # --- parts --------------------------------------------------------------------------------------------------

    def _sharing(self, scale: ScaleConfig) -> "Sharing | None":
        """Return the exchange with other trainers; None if the league is not shared."""
        if scale.share is None:
            return None
        from arena.training.league.sharing import sharing_of  # and a database: 17 MB, and a tenth of a second

        return sharing_of(scale, self.league, self.folder)

    def _claim(self, new: League, scale: ScaleConfig, described: Mapping[str, Any]) -> SavedTraining | None:
        """Claim the folder of the run, and return what is saved in it; None if nothing is."""
        more: dict[str, Any] = {"league": dataclasses.asdict(self.league_config)}
        if self.remote_rollouts is not None:
            more["scale"] = {"shares": self.remote_rollouts.shares, "ahead": scale.ahead}
        more |= described
        more[RESOURCES] = scale.resources() | more.get(RESOURCES, {})
        state = self._checkpointer.claim(more)
        if state is None:
            return None
        with self._checkpointer.files.as_checkpoint_errors():
            return read_state(state, new, self.folder)

    def _hooks(self) -> Hooks:
        """Return what the learners' trainers call on their way."""
        return Hooks(
            train_fn=self._before_collect,
            save_checkpoint_fn=self._end_turn,
            reward_metric=lambda returns: returns[:, 0],
            collect_fn=self._after_collect,
        )

    @property
    def folder(self) -> Path:
        """Folder of the run."""
        return self.setup.folder

    @property
    def policy(self) -> BasePolicy:
        """The policy of the first main agent."""
        return self.learners[0].policy

    # --- turns --------------------------------------------------------------------------------------------------

    @property
    def turn(self) -> int:
        """Number of turns taken by all learners together."""
        return turns_taken(self.league)

    @property
    def current_learner(self) -> LearnerInTraining:
        """The learner whose turn it is."""
        return self.learners[self.turn % len(self.learners)]

    @property
    def finished(self) -> bool:
        """True if every learner has had all its turns."""
        return self.turn >= self.setup.options.num_snapshots * len(self.learners)

    def train(self, watch: Watch | None = None) -> Path:
        """Train to the end, calling `watch` on the way; return the folder of the main agent's newest member.

        Raises `UsageError` if the gate has refused `gate_tries` snapshots in a row, after everything is saved.
        """
        self._reporter.watch = watch
        try:
            if not self.finished:
                self._share()
                self.begin_turn()
            with self._checkpointer.explaining_divergence():
                while not self.finished:
                    next(self.current_learner.trainer)  # a turn, which `_end_turn` ends
        finally:
            self.close()
        newest = self.league.members_of(self.learners[0].record.name)[-1]
        return self.folder / newest.folder

    def close(self) -> None:
        """Stop the workers; they start again if the training goes on."""
        if self.remote_rollouts is not None:
            for learner in self.learners:
                learner.collector.close()
            self.remote_rollouts.close()

    def begin_turn(self) -> None:
        """Restart every random stream for the turn that comes next, and invite opponents; twice changes nothing."""
        learner = self.current_learner
        policies = learner.seating.manager.policies
        seating, buffer, invitation, *rest = spawn_seeds(self.setup.options.seed, self.turn, count=3 + len(policies))
        learner.seating.rng = np.random.default_rng(seating)
        if isinstance(learner.collector, WorkersCollector):
            learner.collector.begin(seating)
        learner.collector.buffer.rng = np.random.default_rng(buffer)
        learner.rng = np.random.default_rng(invitation)
        self.league.next_opponents.pop(learner.record.name, None)
        self._invite(learner)
        for policy, seed in zip(policies, rest, strict=True):
            policy.reset(seed)  # a policy that holds several places keeps the last seed
        learner.pool = Counts()
        for other in self.learners:  # who may learn as a teacher
            other.slow_down(other.record.step)

    def _invite(self, learner: LearnerInTraining) -> None:
        shares = next_opponents(self.league, learner.record, self.league_config)
        learner.meet(self.league, shares, self._load_member)

    def _load_member(self, label: int) -> Policy:
        """Return a member as an opponent, with a restarted random stream."""
        policy = self.pool.load(self.league.members[label - 1])
        policy.reset(spawn_seeds(self.setup.options.seed, self.turn, ADMISSION + label, count=1)[0])
        return policy

    def _before_collect(self, epoch: int, step: int) -> None:
        """Invite again if opponents depend on results, and lower a main agent's learning rates."""
        learner = self.current_learner
        if changes_within_a_turn(learner.record, self.league_config):
            self._invite(learner)
        learner.slow_down(step)

    def _after_collect(self, stats: CollectStats) -> None:
        if self.game.competitive:
            self.current_learner.count(stats, self.league)
        if self.remote_rollouts is not None:
            self.remote_rollouts.count(stats)
        self._reporter.count(stats)

    def _end_turn(self, epoch: int, env_step: int, gradient_step: int) -> None:
        """End a turn: let the snapshot join if it passes the gate, and save everything."""
        learner, seed = self.current_learner, self.setup.options.seed
        admission, reset, games = spawn_seeds(seed, self.turn + 1, ADMISSION, count=3)
        result = TurnResult(env_step)
        if is_ready(self.league, learner.record, self.league_config):
            learner.results = self.evaluator.evaluate(learner.policy)
            result = self.admission.result(self.league, learner, env_step, admission)
        after_turn(self.league, learner.record, result, self.setup.options.evaluation)
        resets = np.random.default_rng(reset).random() < RESET_PROBABILITY[learner.record.role]
        if result.snapshot == "joined" and resets:
            learner.restart(self.setup.build_policy_from, games % 2**31)
            after_reset(self.league, learner.record)
        self._log(learner)
        self._share()
        self.begin_turn()  # before the state is saved: a resumed training begins with the same streams
        self._checkpointer.files.write_state(*league_state_dict(self.league, self.learners))
        write_league(self.folder, self.league)
        if result.snapshot == "refused":
            self.admission.require_progress(learner.record)

    def _share(self) -> None:
        """Exchange news with other trainers of a shared league."""
        if self.sharing is not None:
            self.sharing.exchange()

    def _log(self, learner: LearnerInTraining) -> None:
        """Write the figures of a turn."""
        figures = turn_figures(self.league, learner, self.admission.examined)
        if self.remote_rollouts is not None:
            figures |= self.remote_rollouts.figures
        learner.trainer.logger.write("run/step", self.league.step, figures)

    # --- what watchers see --------------------------------------------------------------------------------------

    def set_logger(self, logger: BaseLogger) -> None:
        """Log figures to `logger` from now on; all learners but the first have their name as a prefix."""
        self.learners[0].trainer.logger = logger
        for learner in self.learners[1:]:
            learner.trainer.logger = PrefixedLogger(logger, learner.record.name)

    def progress(self) -> Progress:
        """Return the progress of the training, with the scores of the first main agent."""
        first, remote = self.learners[0], self.remote_rollouts
        return Progress(
            step=sum(learner.trainer.step for learner in self.learners),
            total_steps=self.setup.options.steps,
            snapshots=first.trainer.at.epoch,
            total_snapshots=self.setup.options.num_snapshots,
            evaluation=first.evaluation,
            pool_score=first.pool.score if first.pool.games else None,
            elo=newest_rating(self.league, first.record.name),
            elo_zero=self.league.zero,
            refused=first.record.refused,
            games=self._reporter.games,
            simulations=0 if remote is not None else first.policy.searched,  # workers do not count them
            losses=losses_of(first.trainer),
            measure=self.evaluator.measure,
            worker_figures={} if remote is None else dict(remote.figures),
        )

    def latest_game(self) -> MatchRecord | None:
        """Return the latest game on the recorded board of the current learner; None if there is none."""
        return self.current_learner.recorder.latest

    def save_checkpoint(self) -> Path:
        """Write the current policy into an extra checkpoint and return its folder; the run is not affected."""
        folder = self._checkpointer.files.extra_checkpoint(self.progress().step)
        if not folder.exists():
            first = self.learners[0]
            self._checkpointer.write_policy(folder, first.policy, first.record.step, first.evaluation)
        return folder

    def _names_at(self, board: int) -> tuple[str, ...]:
        """Return the names of the players on a board of the current learner, by seat."""
        return self.current_learner.names_at(board, self.league)

    # --- resuming -----------------------------------------------------------------------------------------------

    def _load(self, saved: SavedTraining) -> None:
        """Load the arrays of a saved state; raise `CheckpointError` if they are broken."""
        arrays = self._checkpointer.files.read_arrays(self._require_learners)
        for learner in self.learners:
            name = learner.record.name
            load_learner(learner, saved.learners[name], arrays[name], self._load_member)
            require_transitions(learner.collector.buffer, self.setup.spaces, f"the buffer of {name}")

    def _require_learners(self, tensors: Mapping[str, TensorInfo]) -> None:
        """Raise `CheckpointError` unless the weights of the state fit the learners."""
        for learner in self.learners:
            require_learner(learner.policy, tensors, f"{learner.record.name}/")


def _evaluator(game: Game, run: RunConfig, league: LeagueConfig) -> GameEvaluator | TeamEvaluator:
    """Return what measures snapshots; raise `UsageError` if the league needs scores or ratings and there are none."""
    require_rivalry(game, league)
    evaluator = evaluator_of(game, run.evaluation, run.evaluation_games, run.seed, league.references)
    if league.matchmaker == "rating" and not run.evaluation and not league.references and not league.earlier_met:
        raise UsageError("the matchmaker rating needs ratings: name agents for evaluation, or raise earlier_met")
    return evaluator
