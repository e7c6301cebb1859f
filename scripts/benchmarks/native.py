"""Our vector environment, played at random: what several sections set beside others."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from arena.env.native import GameVectorEnv
from benchmarks.measure import Work
from games.engine.chance import GAMMA, below, mix
from games.engine.registry import make_game

BOARDS = 1024


def batch(spec: str, threads: int = 1) -> Work:
    """Every board makes one random legal move; games that end begin anew."""
    env = GameVectorEnv(make_game(spec), BOARDS, autoreset=True, threads=threads)
    env.seed(0)
    env.reset()
    actions, stream = np.zeros(BOARDS, np.int64), np.zeros(1, np.uint64)

    def play() -> int:
        for _ in range(20):
            choose_each(env.mask, stream, actions)
            env.step(actions)
        return 20 * BOARDS

    return play


@njit(cache=True)
def choose_each(mask: NDArray[np.bool_], stream: NDArray[Any], actions: NDArray[np.int64]) -> None:
    """Write a random legal action of each row of `mask` [B, A] into `actions` [B]; `stream` [1] moves on."""
    for row in range(mask.shape[0]):
        stream[0] += GAMMA
        choice = below(mix(stream[0]), mask[row].sum())
        for action in range(mask.shape[1]):
            choice -= mask[row, action]
            if choice < 0:
                actions[row] = action
                break
