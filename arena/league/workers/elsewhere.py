"""The workers of one training, which play the games of all its learners."""

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.data.buffer.base import ReplayBuffer
from arena.data.stats import CollectStats
from arena.errors import UsageError
from arena.league.scale import ScaleConfig
from arena.league.seating import LeagueSeating
from arena.league.workers.collector import FindMember, WorkersCollector
from arena.league.workers.share import SelfPlay, SharePlayer, Table
from arena.league.workers.sources import InCluster, OnDisk, Source
from arena.policy.base import BasePolicy
from arena.workers.work import make_workers

RESIDENT = 32
"""Checkpoints of members that are kept in the memory of a cluster."""


class Elsewhere:
    """Has games played in shares: by processes, on a cluster, or, by one worker, in this process.

    Raises `UsageError` if the workers are not to be had, or the algorithm cannot learn from games that others play.
    """

    def __init__(self, scale: ScaleConfig, work: SelfPlay, policy: BasePolicy, on_policy: bool):
        if _remembers(policy):
            raise UsageError(
                f"{work.algorithm!r} learns from more than transitions, in the process that plays: leave workers at 1"
            )
        if scale.ahead and on_policy:
            raise UsageError(f"{work.algorithm!r} learns from its newest weights' games alone: leave ahead out")
        self._player = SharePlayer(work)
        self._workers: Any = make_workers(scale.workers, work, self._player)
        self._ahead = scale.ahead
        self.shares = scale.shares or self._usual_shares(scale.workers)
        """Into how many parts the boards are dealt."""
        self._in_cluster: OrderedDict[str, InCluster] = OrderedDict()
        self.figures = {"workers/stale_steps": 0, "workers/dropped_steps": 0, "workers/lost": 0}
        """Steps that were stale when they were learned from, those that were dropped, and workers that died."""

    def _usual_shares(self, workers: str) -> int:
        return int(workers) if workers.isdecimal() else self._workers.cores

    def collector(
        self,
        seating: LeagueSeating,
        learning: Sequence[BasePolicy],
        table: Table,
        find: FindMember,
        boards: int,
        buffer: ReplayBuffer,
    ) -> WorkersCollector:
        """Collects for one of the learners; see `WorkersCollector`."""
        return WorkersCollector(seating, learning, table, find, self._workers, boards, self.shares, buffer, self._ahead)

    def source(self, folder: Path, sha256: str) -> Source:
        """Where workers find a checkpoint: in its folder, or, on a cluster, in its memory."""
        found = OnDisk(str(folder.resolve()), sha256)
        if not hasattr(self._workers, "keep"):
            return found
        if sha256 not in self._in_cluster:
            self._in_cluster[sha256] = InCluster(self._workers.keep(found.read()))
        self._in_cluster.move_to_end(sha256)
        while len(self._in_cluster) > RESIDENT:
            self._in_cluster.popitem(last=False)
        return self._in_cluster[sha256]

    def count(self, stats: CollectStats) -> None:
        """Take note of what was stale, dropped or lost in a collection."""
        self.figures["workers/stale_steps"] += stats.n_stale_steps
        self.figures["workers/dropped_steps"] += stats.n_dropped_steps
        self.figures["workers/lost"] += stats.n_lost_workers

    def close(self) -> None:
        """End the workers; they begin again if they are asked."""
        self._workers.close()
        self._player.close()


def _remembers(policy: BasePolicy) -> bool:
    """Whether a policy has learned something while it played, which is in no transition."""
    parts = (part for part in policy.modules() if isinstance(part, BasePolicy))
    return any(type(part).memory is not BasePolicy.memory for part in parts)
