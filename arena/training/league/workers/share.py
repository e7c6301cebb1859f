"""A share of the self-play games: the job that a worker gets, how it plays it, and the result it returns.

A share depends only on what is sent with it, which includes the state of its boards. So every worker returns the same
result for it, and a share whose worker died is played again by another worker with no difference.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.base.seeding import spawn_seeds
from arena.collector.collector import Collector
from arena.collector.of_task import collector_of
from arena.data.batch import Batch
from arena.data.buffer.manager import VectorReplayBuffer
from arena.data.stats import CollectStats
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import build_policy, load_weights
from arena.policy.protocol import Policy
from arena.policy.registry import learning_algorithm, make_agent, make_game
from arena.policy.torch_modes import torch_threads
from arena.training.league.seating import LeagueSeating, OpponentPlan
from arena.training.league.workers.sources import Source
from games.engine.options import Option

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Matchup:
    """The learner of some boards, and the number of its opponents; together they fix the policies' numbers."""

    learner: str
    """Name of the learner."""
    rivals: int
    """Number of other learners that it may play with their current weights."""
    rivals_learn: bool
    """True if the rivals learn from these games, too."""
    places: int
    """Largest number of league members that it plays at the same time."""


@dataclass(frozen=True)
class Round:
    """The data that all shares of a round have in common."""

    matchup: Matchup
    plan: OpponentPlan
    """Distribution over the opponents of new games."""
    weights: tuple[bytes, ...]
    """Weights of the learner, then of its rivals."""
    seed: int
    """Seed of decisions that a policy makes once for all boards."""
    members: dict[int, Source]
    """Sources of the members that play, by label."""


@dataclass(frozen=True)
class BoardShare:
    """A part of the boards, as a job for a worker."""

    number: int
    boards: int
    """Number of boards."""
    moves: int
    """Number of moves to make on each board."""
    seed: int
    state: Batch | None
    """State of the boards (`Collector.state_dict`); None to start new games."""


@dataclass(frozen=True)
class PlayedShare:
    """Result of a share."""

    state: Batch
    """State of its boards afterwards."""
    rows: Batch
    """Transitions [n] in the order of time."""
    rings: Ints
    """Sub-buffer of each transition, counted within the share, [n]."""
    times: Ints
    """Position of each transition in its sub-buffer, counted within the round, [n]; ascending."""
    stats: CollectStats


@dataclass(frozen=True)
class SelfPlay:
    """The work of playing shares: everything that a worker needs to know of a training in advance."""

    game: str
    options: tuple[tuple[str, Option], ...]
    algorithm: str
    config: Any
    """The algorithm's config dataclass."""
    seats: str
    """How a learner's policies hold the seats, as in `arena.policy.checkpoint.layout`."""
    references: tuple[str, ...]
    """Specs of the fixed agents among the opponents."""
    openings: int = 0
    """Largest number of random moves at the start of a game."""
    network: str = ""
    """Function of the user's that makes the bodies of networks; empty for none."""

    def runner(self) -> "RolloutWorker":
        """Return an object that plays shares."""
        return RolloutWorker(self)

    def lost(self, job: BoardShare, tries: int, how: str) -> UsageError:
        """Return the error for a share whose workers all died."""
        return UsageError(
            f"a worker {how} in {tries} tries to play on {job.boards} boards; with fewer boards, or fewer workers, "
            "each needs less memory"
        )


class RolloutWorker:
    """Plays shares of one training in this process, on one thread."""

    def __init__(self, work: SelfPlay):
        self._work = work
        self._game = make_game(work.game, **dict(work.options))
        self._algorithm = learning_algorithm(work.algorithm)
        self._seated: dict[Matchup, _SeatedPolicies] = {}

    def do(self, job: BoardShare, common: Round) -> PlayedShare:
        """Play a share and return its result."""
        with torch_threads(1):
            if common.matchup not in self._seated:
                self._seated[common.matchup] = self._seat(common.matchup)
            return self._seated[common.matchup].play(job, common)

    def close(self) -> None:
        """Close and drop all policies; they are made again when needed."""
        for seated in self._seated.values():
            for policy in seated.references:
                policy.close()
        self._seated.clear()

    def _seat(self, matchup: Matchup) -> "_SeatedPolicies":
        work = self._work
        learning = [
            build_policy(self._algorithm, self._game, work.config, False, work.seats, work.network).train()
            for _ in range(1 + matchup.rivals)
        ]
        references = [make_agent(spec, self._game) for spec in work.references]
        seating = LeagueSeating(
            learning[0], references, self._game.num_players, matchup.places, learning[1:], matchup.rivals_learn
        )
        explores = self._algorithm.data != "on-policy"
        return _SeatedPolicies(self, seating, learning, references, explores)

    def collector(self, seating: LeagueSeating, boards: int, moves: int, explores: bool) -> Collector:
        """Return a collector of `boards` boards; its rings are long enough for a round of `moves` moves."""
        rings = boards * self._game.num_players  # one a board and seat
        buffer = VectorReplayBuffer(rings * (moves + 1), rings)
        openings = self._work.openings
        return collector_of(self._game, boards, seating.manager, buffer, openings=openings, exploration_noise=explores)

    def member(self, source: Source) -> Policy:
        """Return a member as an opponent, in training mode: it samples its moves as it did in training."""
        return source.read().policy(self._work.algorithm, self._algorithm, self._game).train()


class _SeatedPolicies:
    """The policies of one matchup, and the boards they play on."""

    def __init__(
        self,
        player: RolloutWorker,
        seating: LeagueSeating,
        learning: list[BasePolicy],
        references: list[Policy],
        explores: bool,
    ):
        self._player, self._seating, self._learning, self._explores = player, seating, learning, explores
        self.references = references
        self._weights = [b""] * len(learning)
        self._collectors: dict[tuple[int, int], Collector] = {}

    def play(self, share: BoardShare, round_: Round) -> PlayedShare:
        self._follow(round_)
        policies = self._seating.manager.policies
        board_seed, seating_seed, *policy_seeds = spawn_seeds(share.seed, count=2 + len(policies))
        self._seating.rng = np.random.default_rng(seating_seed)
        common_seeds = spawn_seeds(round_.seed, count=len(policies))
        # in reverse: a policy in several places ends with the seed of its first one, so that it does not matter
        # whether a later place is free (it then holds the learner) or still has its last member
        for policy, seed, common in reversed(list(zip(policies, policy_seeds, common_seeds, strict=True))):
            policy.reset(seed)
            policy.agree(common)
        size = share.boards, share.moves
        if size not in self._collectors:
            self._collectors[size] = self._player.collector(self._seating, *size, self._explores)
            self._seating.rng = np.random.default_rng(seating_seed)  # making the collector has drawn from it
        collector = self._collectors[size]
        if share.state is None:
            collector.reset_env({"seed": board_seed % 2**63})
        else:
            collector.load_state_dict(Batch(share.state, copy=True))
        collector.buffer.reset()
        stats = collector.collect(n_step=share.boards * share.moves)
        return PlayedShare(collector.state_dict(), *in_time_order(collector.buffer), stats)

    def _follow(self, round_: Round) -> None:
        """Load the weights of a round and seat its members."""
        for number, (policy, weights) in enumerate(zip(self._learning, round_.weights, strict=True)):
            if self._weights[number] != weights:
                load_weights(policy, weights, "what the learner has sent")
                self._weights[number] = weights
        self._seating.follow(round_.plan, lambda label: self._player.member(round_.members[label]))


def in_time_order(buffer: Any) -> tuple[Batch, Ints, Ints]:
    """Return the contents of a buffer none of whose rings has wrapped: rows, ring and time of each, by time."""
    places = buffer.sample_indices(0)  # of everything that is stored
    size = buffer.maxsize // buffer.buffer_num
    order = np.argsort(places % size, kind="stable")
    places = places[order]
    rows = buffer[places] if len(places) else Batch()
    return rows, places // size, places % size
