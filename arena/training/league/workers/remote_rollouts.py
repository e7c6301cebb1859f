"""`RemoteRollouts`: the workers of one training, which play the games of all its learners."""

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from arena.base.errors import UsageError
from arena.data.buffer.base import ReplayBuffer
from arena.data.stats import CollectStats
from arena.policy.base import BasePolicy
from arena.processes.make import make_workers
from arena.training.league.config import RunConfig
from arena.training.league.scale import ScaleConfig
from arena.training.league.seating import LeagueSeating
from arena.training.league.workers.collector import FindMember, Rounds, WorkersCollector
from arena.training.league.workers.share import Matchup, RolloutWorker, SelfPlay
from arena.training.league.workers.sources import InCluster, OnDisk, Source
from arena.training.setup import TrainingSetup
from games.engine.game import Game

MAX_CLUSTER_CHECKPOINTS = 32
"""Most members' checkpoints kept in the memory of a cluster; the least recently used are dropped."""


@runtime_checkable
class KeepsObjects(Protocol):
    """Workers with a common memory, such as that of a cluster."""

    def keep(self, value: Any) -> Any:
        """Store an object for all workers, and return a reference to it."""


class RemoteRollouts:
    """Plays games in shares of the boards: in worker processes, on a cluster, or in this process.

    Raises `UsageError` if the workers cannot be started, or the algorithm cannot learn from games played by workers.
    """

    def __init__(self, scale: ScaleConfig, work: SelfPlay, policy: BasePolicy, on_policy: bool):
        if _learns_while_playing(policy):
            raise UsageError(
                f"{work.algorithm!r} learns while it plays, not from transitions alone, so it cannot use workers: "
                "leave workers at 1"
            )
        if scale.ahead and on_policy:
            raise UsageError(
                f"{work.algorithm!r} is on-policy: it learns only from games of its newest weights; leave ahead out"
            )
        self._player = RolloutWorker(work)
        self._workers: Any = make_workers(scale.workers, work, self._player)
        self._ahead = scale.ahead
        self.shares = scale.shares or self._usual_shares(scale.workers)
        """Number of shares that the boards are divided into."""
        self._in_cluster: OrderedDict[str, InCluster] = OrderedDict()
        self.figures = {"workers/stale_steps": 0, "workers/dropped_steps": 0, "workers/lost": 0}
        """Counts so far: steps played with outdated weights, steps thrown away, and workers that died."""

    def _usual_shares(self, workers: str) -> int:
        return int(workers) if workers.isdecimal() else self._workers.cores

    def collector(
        self,
        seating: LeagueSeating,
        learning: Sequence[BasePolicy],
        matchup: Matchup,
        find: FindMember,
        boards: int,
        buffer: ReplayBuffer,
    ) -> WorkersCollector:
        """Return the collector of one learner; see `WorkersCollector`."""
        rounds = Rounds(boards, self.shares, self._ahead)
        return WorkersCollector(seating, learning, matchup, find, self._workers, rounds, buffer)

    def source(self, folder: Path, sha256: str) -> Source:
        """Return the source of a checkpoint for workers: its folder or, on a cluster, the cluster's memory."""
        on_disk = OnDisk(str(folder.resolve()), sha256)
        if not isinstance(self._workers, KeepsObjects):
            return on_disk
        if sha256 not in self._in_cluster:
            self._in_cluster[sha256] = InCluster(self._workers.keep(on_disk.read()))
        self._in_cluster.move_to_end(sha256)
        while len(self._in_cluster) > MAX_CLUSTER_CHECKPOINTS:
            self._in_cluster.popitem(last=False)
        return self._in_cluster[sha256]

    def count(self, stats: CollectStats) -> None:
        """Add the stale steps, dropped steps and lost workers of a collection to `figures`."""
        self.figures["workers/stale_steps"] += stats.n_stale_steps
        self.figures["workers/dropped_steps"] += stats.n_dropped_steps
        self.figures["workers/lost"] += stats.n_lost_workers

    def close(self) -> None:
        """Stop the workers; the next collection starts them again."""
        self._workers.close()
        self._player.close()


def remote_rollouts_of(
    scale: ScaleConfig, setup: TrainingSetup[Game, RunConfig], references: tuple[str, ...], policy: BasePolicy
) -> RemoteRollouts | None:
    """Return the workers that play the games of a training; None if this process plays them."""
    if not scale.plays_in_shares:
        return None
    game, openings = setup.task, setup.options.openings
    options, seats, network = tuple(game.options.items()), setup.seats, setup.network
    work = SelfPlay(game.name, options, setup.algo, setup.config, seats, references, openings, network)
    return RemoteRollouts(scale, work, policy, setup.algorithm.data == "on-policy")


def _learns_while_playing(policy: BasePolicy) -> bool:
    """Return whether a policy keeps state from playing that no transition carries, such as a table of its own."""
    parts = (part for part in policy.modules() if isinstance(part, BasePolicy))
    return any(type(part).extra_state_dict is not BasePolicy.extra_state_dict for part in parts)
