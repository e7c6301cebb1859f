"""A share of the self-play games: what a worker is told, plays, and answers.

A share depends on nothing but what is sent with it, the state of its boards included. So whoever plays it answers the
same, and one whose worker has died is played again by another without a trace.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.collector.collector import Collector
from arena.data.batch import Batch
from arena.data.buffer.manager import VectorReplayBuffer
from arena.data.stats import CollectStats
from arena.env.native import GameVectorEnv
from arena.errors import UsageError
from arena.league.seating import LeagueSeating, Plan
from arena.league.workers.sources import Source
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import build_policy, put_weights
from arena.policy.protocol import Policy
from arena.policy.torch_modes import torch_threads
from arena.registry import learning_algorithm, make_agent, make_game
from arena.seeding import spawn_seeds
from games.engine.options import Option

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Table:
    """Who learns at the boards, and who else has a place there: what decides the policies' numbers."""

    learner: str
    """Name of who learns."""
    rivals: int
    """How many other learners may be met as they are."""
    rivals_learn: bool
    """Whether they learn from these games as well."""
    places: int
    """How many members of the league are met at the same time."""


@dataclass(frozen=True)
class Round:
    """What all shares of a round have in common."""

    table: Table
    plan: Plan
    """Whom the games that begin are against."""
    weights: tuple[bytes, ...]
    """Of the learner and of its rivals."""
    seed: int
    """Of what each policy decides alike on all boards."""
    members: dict[int, Source]
    """Those with a place at the table, by label."""


@dataclass(frozen=True)
class Share:
    """A part of the boards, to be played on."""

    number: int
    boards: int
    moves: int
    """To be made on each board."""
    seed: int
    state: Batch | None
    """Of its boards (`Collector.arrays`); None where games begin."""


@dataclass(frozen=True)
class Played:
    """What came of a share."""

    state: Batch
    """Of its boards now."""
    rows: Batch
    """Transitions [n] in the order of time."""
    rings: Ints
    """The sub-buffer of each among those of the share, [n]."""
    times: Ints
    """How many others of this round that sub-buffer has before it, [n]; in ascending order."""
    stats: CollectStats


@dataclass(frozen=True)
class SelfPlay:
    """The work of playing shares: all that a worker has to know of a training beforehand."""

    game: str
    options: tuple[tuple[str, Option], ...]
    algorithm: str
    config: Any
    """The algorithm's config dataclass."""
    separate: bool
    """Whether a learner has a policy for each seat."""
    references: tuple[str, ...]
    """Fixed agents at the table, by spec."""
    openings: int = 0
    """Random moves that games begin with at most."""

    def doer(self) -> "SharePlayer":
        """Who plays."""
        return SharePlayer(self)

    def lost(self, job: Share, tries: int, how: str) -> UsageError:
        """What is said of a share that no worker survives."""
        return UsageError(
            f"a worker {how} in {tries} tries to play on {job.boards} boards; with fewer boards, or fewer workers, "
            "each needs less memory"
        )


class SharePlayer:
    """Plays shares of one training in this process, on one thread."""

    def __init__(self, work: SelfPlay):
        self._work = work
        self._game = make_game(work.game, **dict(work.options))
        self._algorithm = learning_algorithm(work.algorithm)
        self._seated: dict[Table, _Seated] = {}

    def do(self, job: Share, common: Round) -> Played:
        """Play a share."""
        with torch_threads(1):
            if common.table not in self._seated:
                self._seated[common.table] = self._seat(common.table)
            return self._seated[common.table].play(job, common)

    def close(self) -> None:
        """Let go of all policies, the fixed agents among them; they are made again when they are needed."""
        for seated in self._seated.values():
            for policy in seated.references:
                policy.close()
        self._seated.clear()

    def _seat(self, table: Table) -> "_Seated":
        work = self._work
        learning = [
            build_policy(self._algorithm, self._game, work.config, False, work.separate).train()
            for _ in range(1 + table.rivals)
        ]
        references = [make_agent(spec, self._game) for spec in work.references]
        seating = LeagueSeating(
            learning[0], references, self._game.num_players, table.places, learning[1:], table.rivals_learn
        )
        explores = self._algorithm.data != "on-policy"
        return _Seated(self, seating, learning, references, explores)

    def collector(self, seating: LeagueSeating, boards: int, moves: int, explores: bool) -> Collector:
        """A collector of so many boards; each seat's ring takes all that it can be asked in a round."""
        rings = boards * self._game.num_players
        buffer = VectorReplayBuffer(rings * (moves + 1), rings)
        env = GameVectorEnv(self._game, boards, openings=self._work.openings)
        return Collector(seating.manager, env, buffer, exploration_noise=explores)

    def member(self, source: Source) -> Policy:
        """A member as an opponent: moving as it did in training."""
        return source.read().policy(self._work.algorithm, self._algorithm, self._game).train()


class _Seated:
    """The policies at one table, and the boards before them."""

    def __init__(
        self,
        player: SharePlayer,
        seating: LeagueSeating,
        learning: list[BasePolicy],
        references: list[Policy],
        explores: bool,
    ):
        self._player, self._seating, self._learning, self._explores = player, seating, learning, explores
        self.references = references
        self._weights = [b""] * len(learning)
        self._collectors: dict[tuple[int, int], Collector] = {}

    def play(self, share: Share, round_: Round) -> Played:
        self._follow(round_)
        held = self._seating.manager.policies
        boards, table, *policies = spawn_seeds(share.seed, count=2 + len(held))
        self._seating.rng = np.random.default_rng(table)
        agreed = spawn_seeds(round_.seed, count=len(held))
        # a policy in several places keeps the first seed: whether a place is free or keeps who was there makes no odds
        for policy, seed, common in reversed(list(zip(held, policies, agreed, strict=True))):
            policy.reset(seed)
            policy.agree(common)
        size = share.boards, share.moves
        if size not in self._collectors:
            self._collectors[size] = self._player.collector(self._seating, *size, self._explores)
            self._seating.rng = np.random.default_rng(table)  # which was drawn from
        collector = self._collectors[size]
        if share.state is None:
            collector.reset_env({"seed": boards % 2**63})
        else:
            collector.restore(Batch(share.state, copy=True))
        collector.buffer.reset()
        stats = collector.collect(n_step=share.boards * share.moves)
        return Played(collector.arrays(), *in_time_order(collector.buffer), stats)

    def _follow(self, round_: Round) -> None:
        for number, (policy, weights) in enumerate(zip(self._learning, round_.weights, strict=True)):
            if self._weights[number] != weights:
                put_weights(policy, weights, "what the learner has sent")
                self._weights[number] = weights
        self._seating.follow(round_.plan, lambda label: self._player.member(round_.members[label]))


def in_time_order(buffer: Any) -> tuple[Batch, Ints, Ints]:
    """Everything in a buffer whose rings have not come round: rows, ring and time of each, by time."""
    places = buffer.sample_indices(0)
    size = buffer.maxsize // buffer.buffer_num
    order = np.argsort(places % size, kind="stable")
    places = places[order]
    rows = buffer[places] if len(places) else Batch()
    return rows, places // size, places % size
