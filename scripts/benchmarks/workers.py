"""Gain of a second worker in self-play, of a search and of a hosted game, beside one process alone."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from agents.configs.on_policy import PPOConfig
from agents.configs.search import AlphaZeroConfig
from arena.policy.registry import make_game
from arena.training.league.config import LeagueConfig, RunConfig
from arena.training.league.scale import ScaleConfig
from arena.training.league.self_play import SelfPlayTraining
from benchmarks.measure import Peer, Row, Work, rate

ROUNDS = 11
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Task:
    """Games that a learner plays against itself."""

    name: str
    game: str
    algo: str
    config: Any
    boards: int
    moves: int
    """Moves of a stretch on each board, which is played as a training would, and not in turn with somebody's moves."""


SEARCH = AlphaZeroConfig(simulations=32, quick_simulations=32, blocks=2, hidden=128)
SMALL = PPOConfig(hidden=16, channels=0)  # the environment is what takes time
TASKS = (
    Task("self-play of AlphaZero, 32 simulations", "connect_four", "alphazero", SEARCH, 1024, 2),
    Task("a hosted game, small PPO", "pettingzoo:pettingzoo.classic.tictactoe_v3", "ppo", SMALL, 256, 32),
)


def rows() -> Iterator[Row]:
    """Measure moves a second by the wall clock, and by processor time, which other load disturbs less.

    Processor time is that of this process plus the busier worker: a round's duration with two free cores.
    """
    torch.set_num_threads(1)
    for task in TASKS:
        work = f"{task.name}, {task.boards} boards of {task.game}, 2 workers"
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            two, one = (collected(task, scale, folder, stack) for scale in (ScaleConfig("2"), ScaleConfig(shares=1)))
            load = os.getloadavg()[0]
            yield rate("workers", f"{work}; load {load:.0f} before", "moves/s", two, Peer("1 process", one), ROUNDS)
            for round_ in (two, one):
                round_()
            ours = peer = 0.0
            for _ in range(ROUNDS):
                ours, peer = ours + processor_time(two), peer + processor_time(one)
        moves, timed = ROUNDS * task.moves * task.boards, f"{work}; by time of the processor"
        yield Row("workers", timed, moves / ours, moves / peer, "1 process", peer / ours, "moves/s")


def collected(task: Task, scale: ScaleConfig, folder: Path, stack: ExitStack) -> Work:
    """Collect a segment on each board, with the same work in each move."""
    run = RunConfig(out=folder / scale.workers, boards=task.boards, moves=task.moves, threads=1)
    league = LeagueConfig(self_play=1.0, pool=0.0)
    training = SelfPlayTraining(make_game(task.game), task.algo, task.config, run, league, scale)
    stack.enter_context(closing(training))
    collector = training.current_learner.collector

    def play() -> int:
        if task.algo == "ppo":
            steps = collector.collect(n_step=task.boards * task.moves).n_collected_steps
            collector.reset_buffer(keep_statistics=True)
            return int(steps)
        return sum(collector.collect(n_step=task.boards).n_collected_steps for _ in range(task.moves))

    return play


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
