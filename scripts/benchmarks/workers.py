"""Gain of a second worker in self-play, beside one process alone."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import torch

from agents.configs.search import AlphaZeroConfig
from arena.league.config import LeagueConfig, RunConfig
from arena.league.scale import ScaleConfig
from arena.league.training import SelfPlayTraining
from arena.policy.registry import make_game
from benchmarks.measure import Peer, Row, Work, rate

BOARDS, SIMULATIONS = 1024, 32
MOVES = 2  # of a stretch, which is played as a training would, and not in turn with somebody else's moves
ROUNDS = 11
TICKS = os.sysconf("SC_CLK_TCK")


def rows() -> Iterator[Row]:
    """Measure moves a second by the wall clock, and by processor time, which other load disturbs less.

    Processor time is that of this process plus the busier worker: a round's duration with two free cores.
    """
    torch.set_num_threads(1)
    config = AlphaZeroConfig(simulations=SIMULATIONS, quick_simulations=SIMULATIONS, blocks=2, hidden=128)
    work = f"self-play of AlphaZero, {BOARDS} boards of Connect Four, {SIMULATIONS} simulations, 2 workers"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        two, one = (collected(config, scale, folder, stack) for scale in (ScaleConfig("2"), ScaleConfig(shares=1)))
        load = os.getloadavg()[0]
        yield rate("workers", f"{work}; load {load:.0f} before", "moves/s", two, Peer("1 process", one), ROUNDS)
        for round_ in (two, one):
            round_()
        ours = peer = 0.0
        for _ in range(ROUNDS):
            ours, peer = ours + processor_time(two), peer + processor_time(one)
    moves = ROUNDS * MOVES * BOARDS
    yield Row(
        "workers", f"{work}; by time of the processor", moves / ours, moves / peer, "1 process", peer / ours, "moves/s"
    )


def collected(config: AlphaZeroConfig, scale: ScaleConfig, folder: Path, stack: ExitStack) -> Work:
    """Collect a segment on each board, with the same work in each move."""
    run = RunConfig(out=folder / scale.workers, boards=BOARDS, threads=1)
    league = LeagueConfig(self_play=1.0, pool=0.0)
    training = SelfPlayTraining(make_game("connect_four"), "alphazero", config, run, league, scale)
    stack.enter_context(closing(training))
    collector = training.current_learner.collector
    return lambda: sum(collector.collect(n_step=BOARDS).n_collected_steps for _ in range(MOVES))


def processor_time(work: Work) -> float:
    """Return the processor seconds of this process and of the busiest of its children."""
    before, start = {pid: used(pid) for pid in children()}, time.process_time()
    work()
    own_time = time.process_time() - start
    return own_time + max(used(pid) - seconds for pid, seconds in before.items())


def children() -> list[int]:
    """Return the processes that this one has started: the workers."""
    return [int(pid) for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()]


def used(pid: int) -> float:
    """Return the processor seconds that a process has used; see proc(5)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS
