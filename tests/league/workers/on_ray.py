"""Rounds of self-play on a Ray cluster of two nodes, of which one is killed in the middle of a round.

In a process that no other cluster shares; ends with status 0 if all is as it is in one process.
"""

import sys
import tempfile
from pathlib import Path

from arena.league.workers.share import RolloutWorker
from arena.processes.ray import RayWorkers
from arena.processes.work import InProcessWorkers
from tests.league.workers.small import BOARDS, MOVES, collector, same, work
from tests.on_ray import two_nodes

STEPS = BOARDS * MOVES


def main() -> int:
    with two_nodes() as (cluster, node), tempfile.TemporaryDirectory() as folder:
        workers = RayWorkers(work())
        there = collector(workers, Path(folder, "member"))
        here = collector(InProcessWorkers(RolloutWorker(work())), Path(folder, "member"))
        told = [there.collect(n_step=STEPS)]
        there._next = there._start(MOVES)
        cluster.remove_node(node, allow_graceful=False)
        told += [there.collect(n_step=STEPS), there.collect(n_step=STEPS)]
        expected = [here.collect(n_step=STEPS) for _ in told]
        workers.close()
    alike = all(
        (a.returns == b.returns).all() and (a.players == b.players).all() for a, b in zip(told, expected, strict=True)
    )
    return 0 if alike and same(there.buffer[:], here.buffer[:]) else 3


if __name__ == "__main__":
    sys.exit(main())
