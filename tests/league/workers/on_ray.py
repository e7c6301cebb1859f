"""Rounds of self-play on a Ray cluster of two nodes, of which one is killed in the middle of a round.

In a process that no other cluster shares; ends with status 0 if all is as it is in one process.
"""

import os
import sys
import tempfile
from pathlib import Path

import ray
from ray.cluster_utils import Cluster

from arena.league.workers.share import SharePlayer
from arena.workers.ray import RayWorkers
from arena.workers.work import Here
from tests.league.workers.small import BOARDS, MOVES, collector, same, work

STEPS = BOARDS * MOVES


def main() -> int:
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    node = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    os.environ["RAY_ADDRESS"] = cluster.address
    workers = RayWorkers(work())
    with tempfile.TemporaryDirectory() as folder:
        there = collector(workers, Path(folder, "member"))
        here = collector(Here(SharePlayer(work())), Path(folder, "member"))
        told = [there.collect(n_step=STEPS)]
        there._next = there._start(MOVES)
        cluster.remove_node(node, allow_graceful=False)
        told += [there.collect(n_step=STEPS), there.collect(n_step=STEPS)]
        expected = [here.collect(n_step=STEPS) for _ in told]
    alike = all(
        (a.returns == b.returns).all() and (a.players == b.players).all() for a, b in zip(told, expected, strict=True)
    )
    workers.close()
    ray.shutdown()
    cluster.shutdown()
    return 0 if alike and same(there.buffer[:], here.buffer[:]) else 3


if __name__ == "__main__":
    sys.exit(main())
