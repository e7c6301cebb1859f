"""What a second worker brings to self-play: on two cores, beside one process that plays alone."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import torch

from agents.alphazero import AlphaZeroConfig
from arena.league.config import LeagueConfig, RunConfig
from arena.league.scale import ScaleConfig
from arena.league.training import SelfPlayTraining
from arena.registry import make_game
from benchmarks.measure import Peer, Row, Work, rate

BOARDS, SIMULATIONS = 256, 32


def rows() -> Iterator[Row]:
    """Rounds in which each plays the same number of boards; more ready cores than two are of no use to two."""
    torch.set_num_threads(1)
    busy = f", load {os.getloadavg()[0]:.0f}" if os.getloadavg()[0] > 2 else ""
    for blocks, said in ((0, "a perceptron"), (2, "a residual tower")):
        config = AlphaZeroConfig(simulations=SIMULATIONS, blocks=blocks)
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            two, one = (collected(config, scale, folder, stack) for scale in (ScaleConfig("2"), ScaleConfig(shares=1)))
            work = f"self-play of AlphaZero ({BOARDS} boards of Connect Four, {SIMULATIONS} simulations, {said}{busy})"
            yield rate("workers", f"{work}, 2 workers", "moves/s", two, Peer("1 process", one))


def collected(config: AlphaZeroConfig, scale: ScaleConfig, folder: Path, stack: ExitStack) -> Work:
    """Plays a move on each board."""
    run = RunConfig(out=folder / scale.workers, boards=BOARDS, threads=1)
    league = LeagueConfig(self_play=1.0, pool=0.0)
    training = SelfPlayTraining(make_game("connect_four"), "alphazero", config, run, league, scale)
    stack.enter_context(closing(training))
    collector = training.student.collector
    return lambda: collector.collect(n_step=BOARDS).n_collected_steps
