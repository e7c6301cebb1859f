"""Rounds of self-play on a Ray cluster of two nodes, of which one is killed in the middle of a round."""

import tempfile
from pathlib import Path

from arena.processes.ray import RayWorkers
from arena.processes.work import InProcessWorkers
from arena.training.league.workers.share import RolloutWorker
from tests.on_ray import TwoNodes
from tests.training.league.workers.small import BOARDS, MOVES, collector, same, work

STEPS = BOARDS * MOVES


def check(nodes: TwoNodes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workers = RayWorkers(work())
        there = collector(workers, Path(folder, "member"))
        here = collector(InProcessWorkers(RolloutWorker(work())), Path(folder, "member"))
        told = [there.collect(n_step=STEPS)]
        there._next = there._start(MOVES)
        nodes.kill()
        told += [there.collect(n_step=STEPS), there.collect(n_step=STEPS)]
        expected = [here.collect(n_step=STEPS) for _ in told]
        workers.close()
    for a, b in zip(told, expected, strict=True):
        assert (a.returns == b.returns).all()
        assert (a.players == b.players).all()
    assert same(there.buffer[:], here.buffer[:])
