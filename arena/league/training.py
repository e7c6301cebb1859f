"""Self-play training in a league: learners that take turns, a pool of snapshots, and all that is saved to go on."""

import dataclasses
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from arena.collector.collector import Collector
from arena.data.stats import CollectStats
from arena.errors import UsageError
from arena.league.admission import Admission
from arena.league.config import LEAGUES, LeagueConfig, RunConfig, usual_league
from arena.league.curves import Prefixed, newest_rating, turn_figures
from arena.league.payoff import Counts, Payoff
from arena.league.pool import Pool
from arena.league.records import League, Learner, write_league
from arena.league.roles import BEGINS_ANEW, changes_within_a_turn, is_ready, learners_of, opponents_of
from arena.league.scale import ScaleConfig
from arena.league.sharing import sharing_of
from arena.league.state import read_state, state_of, take_up, take_up_learner
from arena.league.student import Student
from arena.league.tables import Tables
from arena.league.workers.collector import WorkersCollector
from arena.league.workers.elsewhere import Elsewhere
from arena.league.workers.share import SelfPlay
from arena.match.verdict import MatchRecord
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import SEPARATE, build_policy, save_policy
from arena.policy.kinds import Spaces
from arena.policy.protocol import Policy
from arena.registry import learning_algorithm, make_agent
from arena.runs.evaluation import able, counts_against
from arena.runs.recorded import BOARD, RecordedGames
from arena.runs.run import Progress, Run, require_collecting
from arena.seeding import spawn_seeds
from arena.trainer.base import BaseTrainer
from arena.trainer.logger import BaseLogger
from games.engine.game import Game

ADMISSION = 1
"""Of random streams: that of what happens at the end of a turn; those of members come after it."""
INITIAL = 1
"""Of random streams: that of initial weights."""


class SelfPlayTraining(Run):
    """Trains agents by self-play, against themselves, snapshots of a league and fixed references; see `Run`.

    The learners of the league take turns, in this process: main agents first, then exploiters. A turn is as long for
    every learner of a role: `steps` and `snapshots` are shared out so. Whoever has its turn is the student of all games
    that are played in it; the other side is its teacher, and does not change (unless `teachers_learn`).

    At the end of a turn the learner's snapshot stands for admission, the learner may begin anew, and everything is
    saved. Besides what every run leaves behind, the folder holds `league.json` (see `read_league`).
    """

    def __init__(
        self,
        game: Game,
        algo: str,
        config: Any = None,
        run: RunConfig | None = None,
        league: LeagueConfig | None = None,
        scale: ScaleConfig | None = None,
    ):
        require_collecting(algo)
        self.game = game
        self.scale = scale or ScaleConfig()
        self.run_config = run or RunConfig()
        self.league_config = league = league or LEAGUES[usual_league(learning_algorithm(algo))]
        measured_by = dict.fromkeys([*able(game, self.run_config.evaluation), *league.references])
        if league.matchmaker == "rating" and not measured_by and not league.earlier_met:
            raise UsageError("the matchmaker rating needs ratings: name agents for evaluation, or raise earlier_met")
        self.evaluators = {spec: make_agent(spec, game) for spec in measured_by}
        self.league = League(
            game.name,
            dict(game.options),
            algo,
            list(league.references),
            learners_of(league),
            training=Payoff(league.payoff_decay),
        )
        super().__init__(game, Spaces.of_game(game), algo, config, self.run_config)
        if self.sharing is not None:
            self.sharing.join()
        write_league(self.folder, self.league)

    # --- learners -----------------------------------------------------------------------------------------------

    def _build_policy(self) -> BasePolicy:
        separate = self.league_config.seats == SEPARATE
        return build_policy(self.algorithm, self.game, self.config, True, separate).to(self.device)

    def _build_from(self, seed: int) -> BasePolicy:
        """A learner with the initial weights of a seed."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return self._build_policy()

    def _make_trainer(self) -> BaseTrainer:
        records, seed = self.league.learners, self.run_config.seed
        seeds = [seed, *spawn_seeds(seed, 0, 0, INITIAL, count=len(records) - 1)]
        policies = [self.policy, *[self._build_from(one) for one in seeds[1:]]]
        share = self.league_config.exploiter_share
        lengths = [1.0 if record.role == "main" else share for record in records]
        steps = [math.ceil(self.run_config.steps * length / sum(lengths)) for length in lengths]
        self.pool = Pool(self.game, self.algo, self.folder, self.device)
        self.elsewhere, self.sharing = self._make_elsewhere(), sharing_of(self.scale, self.league, self.folder)
        tables = Tables(
            self.game,
            self.algorithm,
            self.config,
            self.run_config,
            self.league_config,
            self.league,
            {record.name: policy for record, policy in zip(records, policies, strict=True)},
            {spec: make_agent(spec, self.game) for spec in self.league_config.references},
            self.folder,
            self.elsewhere,
        )
        self.students = [self._make_student(tables, *one) for one in zip(records, steps, seeds, strict=True)]
        self.admission = Admission(
            self.game, self.league, self.league_config, self.run_config, self.pool, self._write_snapshot
        )
        return self.students[0].trainer

    def _make_student(self, tables: Tables, record: Learner, steps: int, initial_seed: int) -> Student:
        seating = tables.seating(record, self._load)
        collector = tables.collector(record, seating, lambda: self.names_at(BOARD))
        taken = self.run_config.boards * tables.moves
        trainer = self._collecting_trainer(seating.manager, collector, taken, lambda returns: returns[:, 0], steps)
        policy, fixed = tables.live[record.name], tables.fixed(record)
        return Student(record, policy, seating, fixed, collector, trainer, steps, initial_seed)

    def _make_elsewhere(self) -> Elsewhere | None:
        """Those who play the games, unless they are played here."""
        if not self.scale.elsewhere:
            return None
        separate = self.league_config.seats == SEPARATE
        options, references = tuple(self.game.options.items()), self.league_config.references
        openings = self.run_config.openings
        work = SelfPlay(self.game.name, options, self.algo, self.config, separate, references, openings)
        return Elsewhere(self.scale, work, self.policy, self.algorithm.data == "on-policy")

    # --- turns --------------------------------------------------------------------------------------------------

    @property
    def turn(self) -> int:
        """Turns that have been taken by all learners together."""
        return sum(student.record.turns for student in self.students)

    @property
    def student(self) -> Student:
        """The learner whose turn it is."""
        return self.students[self.turn % len(self.students)]

    @property
    def finished(self) -> bool:
        """Whether every learner has had all its turns."""
        return self.turn >= self.run_config.snapshots * len(self.students)

    def train(self, watch: Callable[[Progress], None] | None = None) -> Path:
        """Train to the end, telling `watch` on the way; returns the folder of the main agent's newest member.

        Raises `UsageError` if the gate has refused as many snapshots in a row as it may; everything is saved then.
        """
        self._watch = watch
        try:
            if not self.finished:
                self._share()
                self._begin_epoch(self.turn)
            while not self.finished:
                next(self.student.trainer)
        finally:
            self.close()
        newest = self.league.members_of(self.students[0].record.name)[-1]
        return self.folder / newest.folder

    def close(self) -> None:
        """End those who play elsewhere; they begin again if the training goes on."""
        if self.elsewhere is not None:
            for student in self.students:
                student.collector.close()
            self.elsewhere.close()

    def set_logger(self, logger: BaseLogger) -> None:
        """Log figures there from now on; those of all but the first learner under names that begin with its own."""
        self.students[0].trainer.logger = logger
        for student in self.students[1:]:
            student.trainer.logger = Prefixed(logger, student.record.name)

    def progress(self) -> Progress:
        """Where the training is; of scores, those of the first main agent."""
        first = self.students[0]
        return Progress(
            step=sum(student.trainer.step for student in self.students),
            total_steps=self.run_config.steps,
            snapshots=first.trainer.at.epoch,
            evaluation=first.evaluation,
            pool_score=first.pool.score if first.pool.games else None,
            elo=newest_rating(self.league, first.record.name),
            refused=first.record.refused,
            **self._counts(),
            elsewhere={} if self.elsewhere is None else dict(self.elsewhere.figures),
        )

    @property
    def simulations(self) -> int:
        """Simulations of searches in this process; 0 where workers search, who do not count them."""
        return 0 if self.elsewhere is not None else super().simulations

    def latest_game(self) -> MatchRecord | None:
        """The latest game on the first board of the learner whose turn it is."""
        collector = self.student.collector
        env = collector.env if isinstance(collector, Collector) else None
        return env.latest if isinstance(env, RecordedGames) else None

    def _write_checkpoint(self, folder: Path) -> None:
        self._write_snapshot(self.students[0], folder.name)

    def names_at(self, board: int) -> tuple[str, ...]:
        """Who plays on a board of the learner whose turn it is, by seat."""
        student = self.student
        seated = student.seating.manager.seated(np.array([board]))[0]
        return tuple(student.name_of(label, self.league) for label in student.seating.manager.labels[seated].tolist())

    def _begin_epoch(self, number: int) -> None:
        """Start every random stream anew and invite opponents; `number` turns have been taken."""
        student = self.students[number % len(self.students)]
        policies = student.seating.manager.policies
        seating, buffer, invitation, *rest = spawn_seeds(self.run_config.seed, number, count=3 + len(policies))
        student.seating.rng = np.random.default_rng(seating)
        if isinstance(student.collector, WorkersCollector):
            student.collector.begin(seating)
        student.collector.buffer.rng = np.random.default_rng(buffer)
        student.rng = np.random.default_rng(invitation)
        self.league.next_opponents.pop(student.record.name, None)
        self._invite(student)
        for policy, seed in zip(policies, rest, strict=True):
            policy.reset(seed)  # a policy that holds several places keeps the last seed
        student.pool = Counts()
        for other in self.students:  # who may learn as a teacher
            other.slow_down(other.record.step)

    def _invite(self, student: Student) -> None:
        shares = opponents_of(self.league, student.record, self.league_config)
        student.meet(self.league, shares, self._load)

    def _load(self, label: int) -> Policy:
        """A member as an opponent, its random stream begun anew."""
        policy = self.pool.load(self.league.members[label - 1])
        policy.reset(spawn_seeds(self.run_config.seed, self.turn, ADMISSION + label, count=1)[0])
        return policy

    def _before_collect(self, epoch: int, step: int) -> None:
        """Invite again where results decide; main agents slow down."""
        student = self.student
        if changes_within_a_turn(student.record, self.league_config):
            self._invite(student)
        student.slow_down(step)

    def _after_collect(self, stats: CollectStats) -> None:
        self.student.count(stats, self.league)
        if self.elsewhere is not None:
            self.elsewhere.count(stats)
        super()._after_collect(stats)

    # --- the end of a turn --------------------------------------------------------------------------------------

    def _save(self, epoch: int, env_step: int, gradient_step: int) -> None:
        """End a turn: let the snapshot stand for admission, and save everything."""
        student = self.student
        record = student.record
        ready = is_ready(self.league, record, self.league_config)
        if ready:
            self._evaluate()
        self.league.step += env_step - record.step
        record.step, record.turns, record.turns_since_member = env_step, epoch, record.turns_since_member + 1
        admission, anew, games = spawn_seeds(self.run_config.seed, self.turn, ADMISSION, count=3)
        refused = record.refused
        if ready:
            joined = self.admission.stand(student, admission)
            if joined and np.random.default_rng(anew).random() < BEGINS_ANEW[record.role]:
                student.begin_anew(self._build_from, self.league.training, games % 2**31)
        self._log(student)
        self._share()
        self._begin_epoch(self.turn)
        self._files.write_state(*state_of(self.league, self.students))
        write_league(self.folder, self.league)
        if record.refused > refused:
            self.admission.require_hope(record)

    def _evaluate(self) -> dict[str, float]:
        """Let the learner whose turn it is play the agents that all are measured by; its scores."""
        run, student = self.run_config, self.student
        student.results = {
            spec: counts_against(self.game, student.policy, other, run.evaluation_games, run.seed)
            for spec, other in self.evaluators.items()
        }
        return student.evaluation

    def _share(self) -> None:
        """Tell other trainers of the league what is new here, and learn what is new there."""
        if self.sharing is not None:
            self.sharing.exchange()

    def _write_snapshot(self, student: Student, folder: str) -> str:
        extra: dict[str, Any] = {"env_step": student.record.step, "evaluation": student.evaluation}
        if self.league_config.seats == SEPARATE:
            extra["seats"] = SEPARATE
        return save_policy(self.folder / folder, student.policy, self.algo, self.game, self.config, extra)

    def _log(self, student: Student) -> None:
        """Write the figures of a turn."""
        figures = turn_figures(self.league, student, self.admission.examined)
        if self.elsewhere is not None:
            figures |= self.elsewhere.figures
        student.trainer.logger.write("run/step", self.league.step, figures)

    # --- saving -------------------------------------------------------------------------------------------------

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Take over what `state_of` gave; `CheckpointError` if it is broken."""
        saved, said = read_state(state, self.folder)
        arrays = self._files.read_arrays()
        take_up(saved, self.league)
        for student in self.students:
            take_up_learner(student, said[student.record.name], arrays[student.record.name], self._load)

    def _description(self) -> dict[str, Any]:
        told = super()._description() | {"league": dataclasses.asdict(self.league_config)}
        if self.elsewhere is not None:
            told["scale"] = {"shares": self.elsewhere.shares, "ahead": self.scale.ahead}
        return told
