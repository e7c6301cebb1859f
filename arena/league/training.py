"""Self-play training in a league: learners that take turns, a pool of snapshots, and all that is saved to go on."""

import dataclasses
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from arena.collector.collector import Collector
from arena.data import VectorReplayBuffer
from arena.data.batch import Batch
from arena.data.stats import CollectStats
from arena.errors import CheckpointError, UsageError
from arena.league.admission import Admission
from arena.league.config import LeagueConfig, RunConfig, usual_league
from arena.league.curves import Prefixed, newest_rating, opponents_figures, rating_figures
from arena.league.payoff import Counts, Payoff
from arena.league.pool import Pool
from arena.league.records import League, Learner, Role, write_league
from arena.league.roles import BEGINS_ANEW, changes_within_a_turn, is_ready, opponents_of
from arena.league.scale import ScaleConfig
from arena.league.seating import LeagueSeating, Plan
from arena.league.sharing import sharing_of
from arena.league.student import Student, by_label
from arena.league.workers.collector import WorkersCollector
from arena.league.workers.elsewhere import Elsewhere
from arena.league.workers.share import SelfPlay, Table
from arena.league.workers.sources import Source
from arena.match.verdict import MatchRecord
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import SEPARATE, build_policy, save_policy
from arena.policy.kinds import Spaces
from arena.policy.protocol import Policy
from arena.registry import learning_algorithm, make_agent
from arena.runs.evaluation import counts_against, score_of
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
CHANCE = 2
"""Of random streams: that of what chance does in training games."""


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
        self.league_config = league = league or usual_league(learning_algorithm(algo))
        if league.matchmaker == "rating" and not self.run_config.evaluation and not league.earlier_met:
            raise UsageError("the matchmaker rating needs ratings: name agents for evaluation, or raise earlier_met")
        self._moves = self.run_config.moves if learning_algorithm(algo).data == "on-policy" else 1
        self.evaluators = {spec: make_agent(spec, game) for spec in self.run_config.evaluation}
        self._references = {spec: make_agent(spec, game) for spec in league.references}
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
        self._live = {record.name: policy for record, policy in zip(records, policies, strict=True)}
        share = self.league_config.exploiter_share
        lengths = [1.0 if record.role == "main" else share for record in records]
        steps = [math.ceil(self.run_config.steps * length / sum(lengths)) for length in lengths]
        self.elsewhere, self.sharing = self._make_elsewhere(), sharing_of(self.scale, self.league, self.folder)
        self.students = [self._make_student(*one) for one in zip(records, steps, seeds, strict=True)]
        self.pool = Pool(self.game, self.algo, self.folder, self.device)
        self.admission = Admission(
            self.game, self.league, self.league_config, self.run_config, self.pool, self._write_snapshot
        )
        return self.students[0].trainer

    def _make_student(self, record: Learner, steps: int, initial_seed: int) -> Student:
        policy = self._live[record.name]
        mains = [other.name for other in self.league.learners if other.role == "main" and other is not record]
        rivals = [] if record.role == "league exploiter" else mains
        seating = LeagueSeating(
            policy,
            list(self._references.values()),
            self.game.num_players,
            self.league_config.opponents,
            [self._live[name] for name in rivals],
            self._teaches(record),
        )
        fixed = [*self._references, *rivals]
        shares = by_label(opponents_of(self.league, record, self.league_config), record.name, fixed, self.league)
        seating.invite(shares, np.random.default_rng(0), self._load)  # games begin as soon as there is a collector
        collector = self._make_collector(record, seating, [self._live[name] for name in rivals])
        taken = self.run_config.boards * self._moves
        trainer = self._collecting_trainer(seating.manager, collector, taken, lambda returns: returns[:, 0], steps)
        return Student(record, policy, seating, fixed, collector, trainer, steps, initial_seed)

    def _make_elsewhere(self) -> Elsewhere | None:
        """Those who play the games, unless they are played here."""
        if not self.scale.elsewhere:
            return None
        separate = self.league_config.seats == SEPARATE
        options, references = tuple(self.game.options.items()), self.league_config.references
        work = SelfPlay(self.game.name, options, self.algo, self.config, separate, references)
        return Elsewhere(self.scale, work, self.policy, self.algorithm.data == "on-policy")

    def _make_collector(
        self, record: Learner, seating: LeagueSeating, rivals: list[BasePolicy]
    ) -> Collector | WorkersCollector:
        """The games of one learner."""
        on_policy = self.algorithm.data == "on-policy"
        rings = self.run_config.boards * self.game.num_players
        # a seat's ring takes all it can be asked in one collection; off-policy, its part of what is remembered
        capacity = rings * (self._moves + 1) if on_policy else max(self.config.buffer_size, 2 * rings)
        buffer = VectorReplayBuffer(capacity, rings)
        if self.elsewhere is not None:
            learning = [self._live[record.name], *rivals]
            table = Table(record.name, len(rivals), self._teaches(record), self.league_config.opponents)
            return self.elsewhere.collector(seating, learning, table, self._source, self.run_config.boards, buffer)
        env = RecordedGames(self.game, self.run_config.boards, lambda: self.names_at(BOARD))
        learners = self.league.learners
        env.seed(spawn_seeds(self.run_config.seed, 0, 0, CHANCE, count=len(learners))[learners.index(record)])
        return Collector(seating.manager, env, buffer, exploration_noise=not on_policy)

    def _teaches(self, record: Learner) -> bool:
        """Whether the rivals of a learner learn from its games."""
        return self.league_config.teachers_learn and record.role != "main"

    def _source(self, label: int) -> Source:
        """Where workers find a member."""
        assert self.elsewhere is not None
        member = self.league.members[label - 1]
        return self.elsewhere.source(self.folder / member.folder, member.sha256)

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

    def _invite(self, student: Student) -> None:
        shares = opponents_of(self.league, student.record, self.league_config)
        student.meet(self.league, shares, self._load)

    def _load(self, label: int) -> Policy:
        """A member as an opponent, its random stream begun anew."""
        policy = self.pool.load(self.league.members[label - 1])
        policy.reset(spawn_seeds(self.run_config.seed, self.turn, ADMISSION + label, count=1)[0])
        return policy

    def _before_collect(self, epoch: int, step: int) -> None:
        """Invite again where results decide; a main agent's step sizes fall linearly to a twentieth over the run."""
        student = self.student
        if changes_within_a_turn(student.record, self.league_config):
            self._invite(student)
        if student.record.role == "main":
            student.slow_down(max(0.05, 1.0 - step / student.steps))

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
        self._files.write_state(*self._state())
        write_league(self.folder, self.league)
        if record.refused > refused:
            self._require_hope(record)

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
        figures = {f"score/{name}": score for name, score in student.evaluation.items()}
        if student.pool.games:
            figures["score/pool"] = student.pool.score
        if self.admission.examined is not None and student.record.role == "main":
            figures["score/gate"] = score_of(self.admission.examined.counts)
        figures |= rating_figures(self.league, student.record.name)
        figures |= opponents_figures(self.league, student.record)
        if self.elsewhere is not None:
            figures |= self.elsewhere.figures
        student.trainer.logger.write("run/step", self.league.step, figures)

    def _require_hope(self, record: Learner) -> None:
        """`UsageError` if the gate has refused as many snapshots in a row as it may."""
        tries = self.league_config.gate_tries
        if tries and record.refused % tries == 0 and self.admission.examined is not None:
            raise UsageError(
                f"the gate has refused {record.refused} snapshots of {record.name} in a row, the last with "
                f"{self.admission.examined.said}; go on with --resume, or train anew and ask for less"
            )

    # --- saving -------------------------------------------------------------------------------------------------

    def _state(self) -> tuple[dict[str, Any], Batch]:
        """All that is needed to go on, in words and in arrays."""
        counters = {
            student.record.name: {
                "gradient_step": student.trainer.at.gradient_step,
                "results": student.results,
                "plan": dataclasses.asdict(student.seating.plan),
            }
            for student in self.students
        }
        figures = {"epoch": self.turn, "league": self.league.as_json(), "students": counters}
        return figures, Batch({student.record.name: student.arrays() for student in self.students})

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Take over what `_state` gave; `CheckpointError` if it is broken."""
        arrays = self._files.read_arrays()
        try:
            saved, counters = League.from_json(state["league"]), state["students"]
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"the state of the run in {self.folder} cannot be read ({error!r})") from None
        for name in ("members", "step", "evaluation", "ratings", "history", "next_opponents"):
            setattr(self.league, name, getattr(saved, name))
        self.league.training.table = saved.training.table
        for student in self.students:
            name = student.record.name
            vars(student.record).update(vars(saved.learner(name)))
            student.restore(arrays[name])
            student.results = {spec: tuple(counts) for spec, counts in counters[name]["results"].items()}
            student.seating.follow(Plan.from_json(counters[name]["plan"]), self._load)
            at = student.trainer.at
            at.epoch, at.env_step = student.record.turns, student.record.step
            at.gradient_step = counters[name]["gradient_step"]

    def _description(self) -> dict[str, Any]:
        told = super()._description() | {"league": dataclasses.asdict(self.league_config)}
        if self.elsewhere is not None:
            told["scale"] = {"shares": self.elsewhere.shares, "ahead": self.scale.ahead}
        return told


def learners_of(config: LeagueConfig) -> list[Learner]:
    """The learners that a league begins with: main agents, main exploiters, league exploiters."""
    roles: list[tuple[Role, int]] = [
        ("main", config.main_agents),
        ("main exploiter", config.main_exploiters),
        ("league exploiter", config.league_exploiters),
    ]
    return [
        Learner(role.replace(" ", "-") + (f"-{number}" if number > 1 else ""), role)
        for role, count in roles
        for number in range(1, count + 1)
    ]
