"""Matchups of the learners of a league: the players at their boards, and the collectors of their games."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from arena.base.errors import UsageError
from arena.base.seeding import spawn_seeds
from arena.base.tensors import memory_bytes
from arena.collector.collector import Collector
from arena.collector.of_rollouts import device_of_games, rollouts_of
from arena.collector.of_task import collector_of
from arena.collector.rollout_collector import RolloutCollector
from arena.data import VectorReplayBuffer
from arena.policy.base import BasePolicy
from arena.policy.packed import row_formats
from arena.policy.protocol import Policy
from arena.policy.registry import make_agent
from arena.policy.rollout import LearnsFromRollouts
from arena.trainer.base import Hooks
from arena.training.league.config import LeagueConfig, RunConfig
from arena.training.league.learner_in_training import LearnerInTraining, by_label
from arena.training.league.records import League, Learner
from arena.training.league.roles import next_opponents
from arena.training.league.seating import LeagueSeating, Load
from arena.training.league.workers.collector import WorkersCollector
from arena.training.league.workers.remote_rollouts import RemoteRollouts
from arena.training.league.workers.share import Matchup
from arena.training.league.workers.sources import Source
from arena.training.recorded import GameRecorder
from arena.training.setup import TrainingSetup
from arena.training.trainers import collecting_trainer
from games.engine.game import Game

INITIAL, CHANCE = 1, 2
"""Numbers of the random streams for initial weights, and for what chance does in training games."""
WatchedNames = Callable[[int], Sequence[str]]
"""Returns the names of the players on a board of the current learner, by seat."""


@dataclass(frozen=True)
class Matchups:
    """Makes the learners of a training, each with a seating, a collector and a trainer."""

    setup: TrainingSetup[Game, RunConfig]
    config: LeagueConfig
    league: League
    live: dict[str, BasePolicy]
    """Policies of the learners, by name."""
    references: dict[str, Policy]
    """Fixed opponents, by spec."""
    remote_rollouts: RemoteRollouts | None
    """Workers that play the games; None if this process plays them."""

    @classmethod
    def of_policies(
        cls,
        setup: TrainingSetup[Game, RunConfig],
        config: LeagueConfig,
        league: League,
        policies: Sequence[BasePolicy],
        remote_rollouts: RemoteRollouts | None,
    ) -> "Matchups":
        """Return the matchups of a league whose learners have these policies, in their order."""
        live = {record.name: policy for record, policy in zip(league.learners, policies, strict=True)}
        references = {spec: make_agent(spec, setup.task) for spec in config.references}
        return cls(setup, config, league, live, references, remote_rollouts)

    def learners(
        self, seeds: Sequence[int], hooks: Hooks, watched: WatchedNames, load: Load | None
    ) -> list[LearnerInTraining]:
        """Return the learners of the league.

        Args:
            seeds: of their initial weights.
            hooks: called by their trainers.
            watched: returns the names on a board.
            load: loads the members that are invited first; None in a resumed training, which loads all seats.

        """
        records = self.league.learners
        steps = steps_of(records, self.setup.options.steps, self.config.exploiter_share)
        made = []
        for record, count, seed in zip(records, steps, seeds, strict=True):
            seating = self.seating(record)
            if load is not None:
                self.invite_first(record, seating, load)
            recorder = GameRecorder(self.setup.task, watched)
            collector = self.collector(record, seating, recorder)
            taken = self.setup.options.boards * self.moves
            trainer = collecting_trainer(self.setup, seating.manager, collector, taken, hooks, count)
            policy, fixed = self.live[record.name], self.fixed(record)
            made.append(LearnerInTraining(record, policy, seating, fixed, collector, recorder, trainer, count, seed))
        return made

    @property
    def moves(self) -> int:
        """Moves on each board between two updates."""
        return moves_between(self.setup)

    def rivals_of(self, record: Learner) -> list[str]:
        """Return the learners that `record` may play with their current weights: all other main agents."""
        if record.role == "league exploiter":
            return []
        return [other.name for other in self.league.learners if other.role == "main" and other is not record]

    def fixed(self, record: Learner) -> list[str]:
        """Return the names of a learner's opponents that stay seated: references, then rivals."""
        return [*self.references, *self.rivals_of(record)]

    def seating(self, record: Learner) -> LeagueSeating:
        """Return the seating of a learner's boards; nobody is invited yet."""
        return LeagueSeating(
            self.live[record.name],
            list(self.references.values()),
            self.setup.task.num_players,
            self.config.opponents,
            [self.live[name] for name in self.rivals_of(record)],
            self._teaches(record),
        )

    def invite_first(self, record: Learner, seating: LeagueSeating, load: Load) -> None:
        """Invite the first opponents of a new training to a learner's boards."""
        shares = next_opponents(self.league, record, self.config)
        labelled = by_label(shares, record.name, self.fixed(record), self.league)
        seating.invite(labelled, np.random.default_rng(0), load)

    def collector(
        self, record: Learner, seating: LeagueSeating, recorder: GameRecorder
    ) -> Collector | RolloutCollector | WorkersCollector:
        """Return the collector of a learner's games; the recorder follows those that this process plays."""
        setup, run = self.setup, self.setup.options
        on_policy, boards = setup.algorithm.data == "on-policy", run.boards
        rings = boards * setup.task.num_players
        # on-policy, a seat's ring holds one collection; off-policy, its part of the replay buffer
        capacity = rings * (self.moves + 1) if on_policy else max(setup.config.buffer_size, 2 * rings)
        rows = boards * self.moves if on_policy else capacity
        learner = self.live[record.name]
        pack = self._packs_bits()
        size = transition_bytes(setup.task, learner.keeps_policies, learner.needs_obs_next, pack)
        require_room(setup.task, min(rows, run.steps), size, "--boards or --moves" if on_policy else "--buffer-size")
        buffer = VectorReplayBuffer(capacity, rings, ignore_obs_next=not learner.needs_obs_next, pack_bits=pack)
        if self.remote_rollouts is not None:
            rivals = self.rivals_of(record)
            matchup = Matchup(record.name, len(rivals), self._teaches(record), self.config.opponents)
            learning = [self.live[name] for name in (record.name, *rivals)]
            return self.remote_rollouts.collector(seating, learning, matchup, self._source, boards, buffer)
        learners = self.league.learners
        seed = spawn_seeds(run.seed, 0, 0, CHANCE, count=len(learners))[learners.index(record)]
        if on_policy and (games := self._device_of_rollouts()) is not None:
            return rollouts_of(setup.task, boards, seating.manager, buffer, run.openings, recorder, seed, games)
        return collector_of(
            setup.task,
            boards,
            seating.manager,
            buffer,
            openings=run.openings,
            recorder=recorder,
            seed=seed,
            exploration_noise=not on_policy,
        )

    def _packs_bits(self) -> bool:
        """Return whether booleans are stored as bits: in all replay buffers, and in rollouts that have many."""
        setup = self.setup
        if setup.algorithm.data == "on-policy":
            here = self.remote_rollouts is None and self._device_of_rollouts() is not None
            return here and row_formats(setup.task)[0].is_packed
        return setup.task.observation_dtype == np.bool_

    def _device_of_rollouts(self) -> str | None:
        """Return the device of boards whose rollouts the learners learn from; None if they learn from arrays."""
        if not all(isinstance(policy, LearnsFromRollouts) for policy in self.live.values()):
            return None
        choice = self.setup.options.device
        return device_of_games(self.setup.task, self.setup.device, required=choice != "auto")

    def _teaches(self, record: Learner) -> bool:
        """Return whether the rivals of a learner learn from its games."""
        return self.config.teachers_learn and record.role != "main"

    def _source(self, label: int) -> Source:
        """Return the source of a member's checkpoint for workers."""
        assert self.remote_rollouts is not None
        member = self.league.members[label - 1]
        return self.remote_rollouts.source(self.setup.folder / member.folder, member.sha256)


def moves_between(setup: TrainingSetup[Game, RunConfig]) -> int:
    """Return the moves on each board between two updates."""
    return setup.algorithm.steps_between_updates(setup.config, setup.options.boards, setup.options.moves)


def steps_of(learners: Sequence[Learner], steps: int, exploiter_share: float) -> list[int]:
    """Return how many of a training's steps each learner plays: an exploiter a share of what a main agent does."""
    lengths = [1.0 if learner.role == "main" else exploiter_share for learner in learners]
    return [math.ceil(steps * length / sum(lengths)) for length in lengths]


def initial_seeds(seed: int, learners: int) -> list[int]:
    """Return the seeds of the learners' initial weights; the first learner has that of the run."""
    return [seed, *spawn_seeds(seed, 0, 0, INITIAL, count=learners - 1)]


def transition_bytes(game: Game, keeps_policies: bool, needs_obs_next: bool, pack: bool) -> int:
    """Return the bytes of a transition, without what is small beside observations, masks and policies.

    `pack` says that booleans are stored as bits.
    """
    entries, actions = math.prod(game.observation_shape), game.num_actions
    view = entries * np.dtype(game.observation_dtype).itemsize + actions
    if pack:
        view = math.ceil(entries / 8) + math.ceil(actions / 8)
    return view * (1 + needs_obs_next) + 4 * game.num_actions * keeps_policies


def require_room(game: Game, transitions: int, size: int, options: str) -> None:
    """Raise `UsageError` if so many transitions of `size` bytes do not fit into memory."""
    needed = transitions * size
    if needed > (there := memory_bytes()):
        raise UsageError(
            f"{transitions:,} transitions of {game.spec}, with observations {game.observation_shape} and "
            f"{game.num_actions:,} actions, take {needed / 1e9:,.1f} GB, and this machine has {there / 1e9:,.1f}: "
            f"give fewer {options}"
        )
