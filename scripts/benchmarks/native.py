"""Our vector environment under random play, for comparison in several sections."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from arena.env.native import GameVectorEnv
from benchmarks.measure import Work
from games.engine.bits import popcount
from games.engine.chance import GAMMA, below, mix
from games.engine.registry import make_game

BOARDS, STEPS = 1024, 1000
PART = 32
"""Actions of a mask that are examined together."""


def batch(spec: str) -> Work:
    """Make one random legal move on every board; games that end are restarted."""
    env, actions, stream = started_games(spec, 1)

    def play() -> int:
        for _ in range(20):
            choose(env.mask, stream, actions)
            env.step(actions)
        return 20 * BOARDS

    return play


def steps(spec: str, threads: int, boards: int = BOARDS) -> Callable[[], float]:
    """Return the seconds of `STEPS` such moves of all boards, the choice of moves excluded."""
    env, actions, stream = started_games(spec, threads, boards)

    def play() -> float:
        spent = 0.0
        for _ in range(STEPS):
            choose(env.mask, stream, actions)
            start = time.perf_counter()
            env.step(actions)
            spent += time.perf_counter() - start
        return spent

    return play


def started_games(
    spec: str, threads: int, boards: int = BOARDS
) -> tuple[GameVectorEnv, NDArray[np.int64], NDArray[np.uint64]]:
    """Return started games, and the buffers of `choose`."""
    env = GameVectorEnv(make_game(spec), boards, autoreset=True, threads=threads)
    env.seed(0)
    env.reset()
    return env, np.zeros(boards, np.int64), np.zeros(1, np.uint64)


def choose(mask: NDArray[np.bool_], stream: NDArray[Any], actions: NDArray[np.int64]) -> None:
    """Write a random legal action of each row of `mask` [B, A] into `actions` [B]; `stream` [1] advances."""
    if mask.shape[1] > PART and mask.shape[1] % 8 == 0:
        choose_in_words(mask.view(np.uint64), mask, stream, actions)
    else:
        choose_each(mask, stream, actions)


@njit(cache=True)
def choose_in_words(
    words: NDArray[np.uint64], mask: NDArray[np.bool_], stream: NDArray[Any], actions: NDArray[np.int64]
) -> None:
    """Choose as `choose`, examining eight actions at once: `words` [B, A / 8] are the entries of `mask`."""
    for row in range(mask.shape[0]):
        stream[0] += GAMMA
        legal = 0
        for word in words[row]:
            legal += popcount(word)
        nth = below(mix(stream[0]), legal)
        at = 0
        while nth >= popcount(words[row, at]):
            nth -= popcount(words[row, at])
            at += 1
        actions[row] = place_of(mask[row], 8 * at, 8 * at + 8, nth)


@njit(cache=True)
def choose_each(mask: NDArray[np.bool_], stream: NDArray[Any], actions: NDArray[np.int64]) -> None:
    """Choose as `choose`, action by action."""
    for row in range(mask.shape[0]):
        stream[0] += GAMMA
        nth = below(mix(stream[0]), count(mask[row], 0, mask.shape[1]))
        if mask.shape[1] <= PART:
            actions[row] = place_of(mask[row], 0, mask.shape[1], nth)
            continue
        first = 0
        while first + PART < mask.shape[1]:
            here = count(mask[row], first, first + PART)
            if nth < here:
                break
            nth -= here
            first += PART
        actions[row] = place_of(mask[row], first, min(first + PART, mask.shape[1]), nth)


@njit(inline="always")
def count(mask: NDArray[np.bool_], first: int, last: int) -> int:
    """Return the number of legal actions in `first` to `last`, exclusive."""
    legal = 0
    for action in range(first, last):
        legal += np.int64(mask[action])
    return legal


@njit(inline="always")
def place_of(mask: NDArray[np.bool_], first: int, last: int, nth: int) -> int:
    """Return the `nth` legal action, from 0, at or after `first`; the loop has no unpredictable branch."""
    place = first
    for action in range(first, last):
        nth -= np.int64(mask[action])
        place += np.int64(nth >= 0)
    return place
