"""Cost of a league in training: its bookkeeping, and playing many opponents in one batch."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.configs.on_policy import PPOConfig
from arena.collector.collector import Collector
from arena.data import VectorReplayBuffer
from arena.env.native import GameVectorEnv
from arena.policy.checkpoint import build_policy
from arena.policy.registry import learning_algorithm, make_game
from arena.training.league.config import LEAGUES, RunConfig
from arena.training.league.learner_in_training import LearnerInTraining
from arena.training.league.seating import LeagueSeating
from arena.training.league.self_play import SelfPlayTraining
from benchmarks.measure import Peer, Row, Work, rate

BOARDS, MOVES = 1024, 32
TURNS = 10
BOOKKEEPING = (
    (SelfPlayTraining, "_before_collect"),  # pairing: scores, distribution, invitations, members loaded
    (SelfPlayTraining, "begin_turn"),
    (LearnerInTraining, "count"),  # payoffs
    (LeagueSeating, "__call__"),  # who sits where in games that begin
)


def rows() -> Iterator[Row]:
    """Measure the share of bookkeeping in a training, and a batch against eight opponents beside one against one."""
    torch.set_num_threads(1)
    share = bookkeeping_share()
    work = f"bookkeeping of a PFSP league in a PPO run on Connect Four, {TURNS} snapshots"
    yield Row("league", work, 100 * share, None, "the whole run is 100", None, "% of the time")
    work = f"moves of a PPO agent and its opponents on {BOARDS:,} boards of Connect Four, eight opponents"
    yield rate("league", work, "moves/s", against(8), Peer("against one opponent", against(1)))


def bookkeeping_share() -> float:
    """Return the share of a training's time spent in what only a league needs."""
    spent = 0.0

    def timed(method: Any, *arguments: Any) -> Any:
        nonlocal spent
        start = time.perf_counter()
        result = method(*arguments)
        spent += time.perf_counter() - start
        return result

    originals = [(owner, name, getattr(owner, name)) for owner, name in BOOKKEEPING]
    with tempfile.TemporaryDirectory() as folder:
        run = RunConfig(out=Path(folder) / "run", steps=TURNS * 40_000, snapshots=TURNS, threads=1)
        training = SelfPlayTraining(make_game("connect_four"), "ppo", None, run, LEAGUES["pfsp"])
        try:
            for owner, name, method in originals:
                setattr(owner, name, partial_method(timed, method))
            start = time.perf_counter()
            training.train()
            whole = time.perf_counter() - start
        finally:
            for owner, name, method in originals:
                setattr(owner, name, method)
    return spent / whole


def partial_method(timed: Any, method: Any) -> Any:
    """Return a method that calls `method` through `timed`."""
    return lambda *arguments: timed(method, *arguments)


def against(opponents: int) -> Work:
    """Collect games of one learner, each against one of `opponents` opponents."""
    game, algorithm = make_game("connect_four"), learning_algorithm("ppo")
    learner = build_policy(algorithm, game, PPOConfig(), True)
    members = {label: build_policy(algorithm, game, PPOConfig(), False).train() for label in range(1, opponents + 1)}
    seating = LeagueSeating(learner, [], game.num_players, opponents)
    seating.invite(dict.fromkeys(members, 1 / opponents), np.random.default_rng(0), members.__getitem__)
    rings = BOARDS * game.num_players
    buffer = VectorReplayBuffer(rings * (MOVES + 1), rings)
    collector = Collector(seating.manager, GameVectorEnv(game, BOARDS), buffer)

    def play() -> int:
        steps = collector.collect(n_step=BOARDS * MOVES).n_collected_steps
        collector.reset_buffer(keep_statistics=True)
        return steps

    return play
