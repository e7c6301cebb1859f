"""Where the learners of a league play: who may sit at their boards, and what collects their games."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arena.collector.collector import Collector
from arena.data import VectorReplayBuffer
from arena.league.config import LeagueConfig, RunConfig
from arena.league.records import League, Learner
from arena.league.roles import opponents_of
from arena.league.seating import LeagueSeating, Load
from arena.league.student import by_label
from arena.league.workers.collector import WorkersCollector
from arena.league.workers.elsewhere import Elsewhere
from arena.league.workers.share import Table
from arena.league.workers.sources import Source
from arena.policy.base import BasePolicy
from arena.policy.kinds import Algorithm
from arena.policy.protocol import Policy
from arena.runs.recorded import RecordedGames
from arena.seeding import spawn_seeds
from games.engine.game import Game

CHANCE = 2
"""Of random streams: that of what chance does in training games."""


@dataclass(frozen=True)
class Tables:
    """Makes the seatings and collectors of all learners of a training."""

    game: Game
    algorithm: Algorithm
    config: Any
    """How the algorithm learns."""
    run: RunConfig
    league_config: LeagueConfig
    league: League
    live: dict[str, BasePolicy]
    """The learners' policies, by name."""
    references: dict[str, Policy]
    """Fixed opponents, by spec."""
    folder: Path
    """The run's, which members' checkpoints are relative to."""
    elsewhere: Elsewhere | None
    """Those who play the games, unless they are played here."""

    @property
    def moves(self) -> int:
        """Moves on each board between two updates."""
        return self.algorithm.steps_between_updates(self.config, self.run.boards, self.run.moves)

    def rivals_of(self, record: Learner) -> list[str]:
        """The learners that one may meet as they are at that moment: all other main agents."""
        if record.role == "league exploiter":
            return []
        return [other.name for other in self.league.learners if other.role == "main" and other is not record]

    def fixed(self, record: Learner) -> list[str]:
        """Names of a learner's opponents whose places never change: references, then rivals."""
        return [*self.references, *self.rivals_of(record)]

    def seating(self, record: Learner, load: Load) -> LeagueSeating:
        """Who sits at a learner's boards; games can begin at once."""
        seating = LeagueSeating(
            self.live[record.name],
            list(self.references.values()),
            self.game.num_players,
            self.league_config.opponents,
            [self.live[name] for name in self.rivals_of(record)],
            self._teaches(record),
        )
        shares = opponents_of(self.league, record, self.league_config)
        labelled = by_label(shares, record.name, self.fixed(record), self.league)
        seating.invite(labelled, np.random.default_rng(0), load)
        return seating

    def collector(
        self, record: Learner, seating: LeagueSeating, watched: Callable[[], Sequence[str]]
    ) -> Collector | WorkersCollector:
        """What collects a learner's games; `watched` names who plays on the board that is remembered."""
        on_policy, boards = self.algorithm.data == "on-policy", self.run.boards
        rings = boards * self.game.num_players
        # a seat's ring takes all it can be asked in one collection; off-policy, its part of what is remembered
        capacity = rings * (self.moves + 1) if on_policy else max(self.config.buffer_size, 2 * rings)
        buffer = VectorReplayBuffer(capacity, rings)
        if self.elsewhere is not None:
            rivals = self.rivals_of(record)
            table = Table(record.name, len(rivals), self._teaches(record), self.league_config.opponents)
            learning = [self.live[name] for name in (record.name, *rivals)]
            return self.elsewhere.collector(seating, learning, table, self._source, boards, buffer)
        env = RecordedGames(self.game, boards, watched, self.run.openings)
        learners = self.league.learners
        env.seed(spawn_seeds(self.run.seed, 0, 0, CHANCE, count=len(learners))[learners.index(record)])
        return Collector(seating.manager, env, buffer, exploration_noise=not on_policy)

    def _teaches(self, record: Learner) -> bool:
        """Whether the rivals of a learner learn from its games."""
        return self.league_config.teachers_learn and record.role != "main"

    def _source(self, label: int) -> Source:
        """Where workers find a member."""
        assert self.elsewhere is not None
        member = self.league.members[label - 1]
        return self.elsewhere.source(self.folder / member.folder, member.sha256)
