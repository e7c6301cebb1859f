"""`WorkersCollector`: a collector whose games are played by workers."""

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.data.stats import CollectStats
from arena.errors import UsageError
from arena.league.seating import LEARNER, LeagueSeating
from arena.league.workers.share import Played, Round, Share, Table
from arena.league.workers.sources import Source
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import weights_of
from arena.seeding import spawn_seeds
from arena.workers.work import Workers

FindMember = Callable[[int], Source]
"""Where the member of a label is found."""


@dataclass(frozen=True)
class _UnderWay:
    """A round that workers are at."""

    moves: int
    """Made on each board."""
    results: Generator[tuple[Share, Played]]


class WorkersCollector:
    """Collects as a `Collector` would, in rounds: shares of the boards go to workers, with the newest weights.

    All of a round is played with the same weights, and learned from before the next one begins. With `ahead` workers
    begin that at once, with weights which are one update old when it is learned from (`CollectStats.n_stale_steps`).
    What is collected depends on the seed and the shares, not on who plays them, nor on workers that die.

    Args:
        seating: who sits where, with the manager that learns; the games are played elsewhere.
        learning: the policies whose weights are sent: the learner and its rivals.
        table: what the seating was made with.
        find: where members of the league are found.
        workers: those who play.
        boards: games played at the same time, over all shares.
        shares: into how many parts they are dealt.
        buffer: where transitions go; a sub-buffer for each board and seat.
        ahead: have the next round played while this one is learned from.

    """

    def __init__(
        self,
        seating: LeagueSeating,
        learning: Sequence[BasePolicy],
        table: Table,
        find: FindMember,
        workers: Workers[Share, Played],
        boards: int,
        shares: int,
        buffer: ReplayBuffer,
        ahead: bool = False,
    ):
        if not 1 <= shares <= boards:
            raise UsageError(f"boards={boards} cannot be dealt into {shares} shares of one or more: raise boards")
        self.policy, self.buffer = seating.manager, buffer
        self.num_envs, self.num_agents = boards, seating.num_players
        self._seating, self._learning, self._table, self._find = seating, learning, table, find
        self._workers, self._ahead = workers, ahead
        self._boards = [len(part) for part in np.array_split(np.arange(boards), shares)]
        self._states: list[Batch | None] = [None] * shares
        self._seed, self._rounds = 0, 0
        self._next: _UnderWay | None = None
        self._dropped, self._deaths = 0, 0  # since the last collection
        self.reset_stat()

    def begin(self, seed: int) -> None:
        """Start the random streams of all games anew; what is played ahead is dropped."""
        self._drop()
        self._seed, self._rounds = seed, 0

    def reset(
        self, reset_buffer: bool = True, reset_stats: bool = True, gym_reset_kwargs: Mapping[str, int] | None = None
    ) -> None:
        """Let new games begin on all boards (`gym_reset_kwargs`: `seed`); reset, if asked, buffer and counters."""
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
        """Empty the buffer; with `keep_statistics` the returns and lengths of episodes under way go on."""
        self.buffer.reset(keep_statistics=keep_statistics)

    def most_steps(self, n_step: int) -> int:
        """The largest number of steps that `collect(n_step)` makes."""
        return -(-n_step // self.num_envs) * self.num_envs

    def close(self) -> None:
        """End what is under way; whoever made the workers ends them."""
        if self._next is not None:
            self._next.results.close()
            self._next = None

    # --- collecting ---------------------------------------------------------------------------------------------

    def collect(self, n_step: int | None = None, n_episode: int | None = None) -> CollectStats:
        """Collect `n_step` moves, rounded up to a multiple of the boards; `UsageError` unless so many are given."""
        if n_step is None or n_step < 1 or n_episode is not None:
            raise UsageError(f"workers collect n_step={n_step} (1 or more), and not n_episode={n_episode}")
        start, moves = time.perf_counter(), -(-n_step // self.num_envs)
        if self._next is not None and self._next.moves != moves:
            self._drop()
        is_stale = self._next is not None
        under_way, self._next = self._next or self._start(moves), None
        played = {share.number: result for share, result in under_way.results}
        parts = [played[number] for number in range(len(self._boards))]
        self._states = [part.state for part in parts]
        self.policy.restore_seats(np.concatenate([part.state.manager.seated for part in parts]))
        self._store(parts)
        if self._ahead:
            self._next = self._start(moves)
        return self._stats([part.stats for part in parts], is_stale, time.perf_counter() - start)

    def _start(self, moves: int) -> _UnderWay:
        """Set the workers to play so many moves on each board, with the weights of now."""
        plan = self._seating.plan
        members = {label: self._find(label) for label in plan.labels if label > LEARNER}
        common, *seeds = spawn_seeds(self._seed, self._rounds, count=1 + len(self._boards))
        round_ = Round(self._table, plan, tuple(weights_of(policy) for policy in self._learning), common, members)
        self._rounds += 1
        shares = [
            Share(number, boards, moves, seed, state)
            for number, (boards, seed, state) in enumerate(zip(self._boards, seeds, self._states, strict=True))
        ]
        return _UnderWay(moves, self._workers.do(shares, round_))

    def _drop(self) -> None:
        """Let the workers end what they play ahead, for nothing."""
        if self._next is not None:
            self._dropped += sum(result.stats.n_collected_steps for _, result in self._next.results)
            self._next = None

    def _store(self, parts: Sequence[Played]) -> None:
        """Store what was experienced, each ring in the order of time."""
        first = np.cumsum([0, *self._boards[:-1]]) * self.num_agents
        rings = np.concatenate([part.rings + ring for part, ring in zip(parts, first, strict=True)])
        if not len(rings):
            return
        rows = Batch.cat([part.rows for part in parts if len(part.rings)])
        times = np.concatenate([part.times for part in parts])
        order = np.argsort(times, kind="stable")
        for places in np.split(order, np.flatnonzero(np.diff(times[order])) + 1):
            self.buffer.add(rows[places], rings[places])

    def _stats(self, parts: Sequence[CollectStats], is_stale: bool, seconds: float) -> CollectStats:
        steps, lens = sum(part.n_collected_steps for part in parts), np.concatenate([part.lens for part in parts])
        self.collect_step += steps
        self.collect_episode += len(lens)
        self.collect_time += seconds
        dropped, self._dropped = self._dropped, 0
        deaths, self._deaths = self._workers.deaths - self._deaths, self._workers.deaths
        return CollectStats.with_autogenerated_stats(
            returns=np.concatenate([part.returns for part in parts]),
            lens=lens,
            n_collected_episodes=len(lens),
            n_collected_steps=steps,
            collect_time=seconds,
            collect_speed=steps / max(seconds, 1e-9),
            players=np.concatenate([part.players for part in parts if part.players is not None]),
            n_dropped_steps=dropped,
            n_stale_steps=steps if is_stale else 0,
            n_lost_workers=deaths,
        )

    # --- keeping ------------------------------------------------------------------------------------------------

    def arrays(self) -> Batch:
        """The state of all boards, as arrays, to be saved; what is played ahead is no part of it."""
        return Batch({str(number): state for number, state in enumerate(self._states) if state is not None})

    def restore(self, arrays: Batch) -> None:
        """Take over what `arrays` gave, with as many shares."""
        self._states = [arrays.get(str(number)) for number in range(len(self._states))]
        if all(state is not None for state in self._states):
            self.policy.restore_seats(np.concatenate([state.manager.seated for state in self._states if state]))
