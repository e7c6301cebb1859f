"""A learner of tic-tac-toe whose games others play."""

from pathlib import Path

import numpy as np
import torch

from agents.configs.on_policy import PPOConfig
from arena.data.batch import Batch
from arena.data.buffer.manager import VectorReplayBuffer
from arena.data.flat import flatten
from arena.policy.checkpoint import build_policy, save_policy
from arena.policy.registry import learning_algorithm, make_agent, make_game
from arena.policy.snapshots import read_config
from arena.processes.ray import RayWorkers
from arena.processes.work import Workers
from arena.training.league.seating import LeagueSeating
from arena.training.league.workers.collector import Rounds, WorkersCollector
from arena.training.league.workers.share import Matchup, SelfPlay
from arena.training.league.workers.sources import InCluster, OnDisk

GAME = make_game("tic_tac_toe")
CONFIGS = {"ppo": PPOConfig(hidden=16, channels=8, batch_size=128)}
MOVES, BOARDS, SHARES = 4, 10, 3


def work(algo: str = "ppo") -> SelfPlay:
    return SelfPlay(GAME.name, tuple(GAME.options.items()), algo, CONFIGS[algo], "shared", ("random",))


def collector(workers: Workers, folder: Path, ahead: bool = False, shares: int = SHARES) -> WorkersCollector:
    """Half of the games are against itself, a quarter against its initial weights, the others against random."""
    torch.manual_seed(0)
    algorithm = learning_algorithm("ppo")
    learner, first = (build_policy(algorithm, GAME, CONFIGS["ppo"], True) for _ in range(2))
    if not folder.exists():
        save_policy(folder, first, "ppo", GAME, CONFIGS["ppo"])
    found = OnDisk(str(folder), read_config(folder)["sha256"])
    member = InCluster(workers.keep(found.read())) if isinstance(workers, RayWorkers) else found
    seating = LeagueSeating(learner, [make_agent("random", GAME)], 2, 1)
    seating.invite({0: 0.5, 1: 0.25}, np.random.default_rng(0), lambda label: first)
    buffer = VectorReplayBuffer(BOARDS * 2 * (MOVES + 1), BOARDS * 2)
    made = WorkersCollector(
        seating,
        [learner],
        Matchup("main", 0, False, 1),
        lambda label: member,
        workers,
        Rounds(BOARDS, shares, ahead),
        buffer,
    )
    made.begin(5)
    return made


def same(one: Batch, other: Batch) -> bool:
    """Whether two batches hold the same, bit by bit."""
    mine, theirs = flatten(one), flatten(other)
    return mine.keys() == theirs.keys() and all(np.array_equal(mine[key], theirs[key]) for key in mine)
