"""`WorkersCollector`: a collector whose games are played by workers."""

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from arena.base.errors import UsageError
from arena.base.seeding import spawn_seeds
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.data.stats import CollectStats
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import weights_to_bytes
from arena.processes.work import Workers
from arena.training.league.seating import LEARNER, LeagueSeating
from arena.training.league.workers.share import BoardShare, Matchup, PlayedShare, Round
from arena.training.league.workers.sources import Source

FindMember = Callable[[int], Source]
"""Returns the source of the checkpoint of the member with a label."""


@dataclass(frozen=True)
class Rounds:
    """Division of the boards among workers."""

    boards: int
    """Number of games played at the same time, over all shares."""
    shares: int
    """Number of shares that the boards are divided into."""
    ahead: bool = False
    """True if workers play the next round while the learner learns from this one."""

    def __post_init__(self) -> None:
        if not 1 <= self.shares <= self.boards:
            raise UsageError(
                f"boards={self.boards} cannot be divided into {self.shares} shares of at least one: raise boards"
            )


@dataclass(frozen=True)
class _StartedRound:
    """A round that workers are playing."""

    moves: int
    """Number of moves on each board."""
    results: Generator[tuple[BoardShare, PlayedShare]]


class WorkersCollector:
    """Collects transitions like a `Collector`, but in rounds whose games are played by workers.

    A round sends the newest weights, and to each worker a share of the boards. All games of a round are played with the
    same weights, and the learner updates before the next round starts. With `ahead` workers start the next round at
    once; its weights are then one update old when the learner uses it (`CollectStats.n_stale_steps`).

    The transitions depend on the seed and the shares. They depend neither on which worker plays a share nor on workers
    that die.

    Args:
        seating: assigns policies to seats; its manager is the one that learns.
        learning: the policies whose weights are sent: the learner and its rivals.
        matchup: the matchup that the seating was made from.
        find: returns the source of a member's checkpoint.
        workers: the workers that play.
        rounds: how the boards are divided among them.
        buffer: stores the transitions; one sub-buffer for each board and seat.

    """

    def __init__(
        self,
        seating: LeagueSeating,
        learning: Sequence[BasePolicy],
        matchup: Matchup,
        find: FindMember,
        workers: Workers[BoardShare, PlayedShare],
        rounds: Rounds,
        buffer: ReplayBuffer,
    ):
        self.policy, self.buffer = seating.manager, buffer
        self.num_envs, self.num_agents = rounds.boards, seating.num_players
        self._seating, self._learning, self._matchup, self._find = seating, learning, matchup, find
        self._workers, self._ahead = workers, rounds.ahead
        self._boards = [len(part) for part in np.array_split(np.arange(rounds.boards), rounds.shares)]
        self._states: list[Batch | None] = [None] * rounds.shares
        self._seed, self._rounds = 0, 0
        self._next: _StartedRound | None = None
        self._dropped, self._deaths = 0, 0  # since the last collection
        self.reset_stat()

    def begin(self, seed: int) -> None:
        """Restart the random streams of all games from a seed; a round played ahead is thrown away."""
        self._drop()
        self._seed, self._rounds = seed, 0

    def reset(
        self, reset_buffer: bool = True, reset_stats: bool = True, gym_reset_kwargs: Mapping[str, int] | None = None
    ) -> None:
        """Start new games on all boards (`gym_reset_kwargs`: `seed`); reset the buffer and the counters if asked."""
        self.begin((gym_reset_kwargs or {}).get("seed", self._seed))
        self._states = [None] * len(self._boards)
        if reset_stats:
            self.reset_stat()
        if reset_buffer:
            self.reset_buffer()
        else:
            self.buffer.cut()

    def reset_stat(self) -> None:
        """Set the counters to zero."""
        self.collect_step, self.collect_episode, self.collect_time = 0, 0, 0.0

    def reset_buffer(self, keep_statistics: bool = False) -> None:
        """Empty the buffer; with `keep_statistics` the returns and lengths of unfinished episodes are kept."""
        self.buffer.reset(keep_statistics=keep_statistics)

    def most_steps(self, n_step: int) -> int:
        """Return the largest number of steps that `collect(n_step)` makes."""
        return -(-n_step // self.num_envs) * self.num_envs

    def close(self) -> None:
        """Cancel the round played ahead, if any; the owner of the workers stops them."""
        if self._next is not None:
            self._next.results.close()
            self._next = None

    # --- collecting ---------------------------------------------------------------------------------------------

    def collect(self, n_step: int | None = None, n_episode: int | None = None) -> CollectStats:
        """Collect `n_step` moves, rounded up to a multiple of the boards.

        Raises `UsageError` if `n_step` is missing or below 1, or if `n_episode` is given.
        """
        if n_step is None or n_step < 1 or n_episode is not None:
            raise UsageError(f"workers collect by n_step, 1 or more; got n_step={n_step}, n_episode={n_episode}")
        start, moves = time.perf_counter(), -(-n_step // self.num_envs)
        if self._next is not None and self._next.moves != moves:
            self._drop()
        is_stale = self._next is not None
        current, self._next = self._next or self._start(moves), None
        played = {share.number: result for share, result in current.results}
        parts = [played[number] for number in range(len(self._boards))]
        self._states = [part.state for part in parts]
        self.policy.restore_seats(np.concatenate([part.state.manager.seated for part in parts]))
        self._store(parts)
        if self._ahead:
            self._next = self._start(moves)
        return self._stats([part.stats for part in parts], is_stale, time.perf_counter() - start)

    def _start(self, moves: int) -> _StartedRound:
        """Have the workers play `moves` moves on each board with the current weights."""
        plan = self._seating.plan
        members = {label: self._find(label) for label in plan.labels if label > LEARNER}
        common, *seeds = spawn_seeds(self._seed, self._rounds, count=1 + len(self._boards))
        round_ = Round(
            self._matchup, plan, tuple(weights_to_bytes(policy) for policy in self._learning), common, members
        )
        self._rounds += 1
        shares = [
            BoardShare(number, boards, moves, seed, state)
            for number, (boards, seed, state) in enumerate(zip(self._boards, seeds, self._states, strict=True))
        ]
        return _StartedRound(moves, self._workers.do(shares, round_))

    def _drop(self) -> None:
        """Throw away the round that is played ahead, and count its steps."""
        if self._next is not None:
            self._dropped += sum(result.stats.n_collected_steps for _, result in self._next.results)
            self._next = None

    def _store(self, parts: Sequence[PlayedShare]) -> None:
        """Add the transitions of all shares to the buffer, each sub-buffer (ring) in the order of time."""
        first = np.cumsum([0, *self._boards[:-1]]) * self.num_agents  # of each share, in the whole buffer
        rings = np.concatenate([part.rings + ring for part, ring in zip(parts, first, strict=True)])  # [n]
        if not len(rings):
            return
        rows = Batch.cat([part.rows for part in parts if len(part.rings)])
        times = np.concatenate([part.times for part in parts])
        order = np.argsort(times, kind="stable")
        # `add` takes at most one row a ring: all rows of one time, then those of the next
        for places in np.split(order, np.flatnonzero(np.diff(times[order])) + 1):
            self.buffer.add(rows[places], rings[places])

    def _stats(self, parts: Sequence[CollectStats], is_stale: bool, seconds: float) -> CollectStats:
        steps, lens = sum(part.n_collected_steps for part in parts), np.concatenate([part.lens for part in parts])
        self.collect_step += steps
        self.collect_episode += len(lens)
        self.collect_time += seconds
        dropped, self._dropped = self._dropped, 0
        deaths, self._deaths = self._workers.deaths - self._deaths, self._workers.deaths
        returns = np.concatenate([part.returns for part in parts])
        stats = CollectStats.of_collection(returns, lens, steps, seconds)
        return replace(
            stats,
            players=np.concatenate([part.players for part in parts if part.players is not None]),
            n_dropped_steps=dropped,
            n_stale_steps=steps if is_stale else 0,
            n_lost_workers=deaths,
        )

    # --- saving -------------------------------------------------------------------------------------------------

    def state_dict(self) -> Batch:
        """Return the state of all boards as arrays, without a round that is played ahead."""
        return Batch({str(number): state for number, state in enumerate(self._states) if state is not None})

    def load_state_dict(self, arrays: Batch) -> None:
        """Load what `state_dict` returned; the number of shares must be the same."""
        self._states = [arrays.get(str(number)) for number in range(len(self._states))]
        if all(state is not None for state in self._states):
            self.policy.restore_seats(np.concatenate([state.manager.seated for state in self._states if state]))
