"""What chance and the players do, drawn inside compiled code; the stream of random numbers is the caller's."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from arena.equilibrium.tree import Floats
from games.engine.chance import GAMMA, mix

Nodes = NDArray[Any]
"""Records of `arena.equilibrium.walk.NODE`, [N]."""
Stream = NDArray[np.uint64]
"""[1], the state of a stream of random numbers (splitmix64)."""


@njit(inline="always")
def uniform(stream: Stream) -> float:
    """The next number from 0 to 1 (excluded)."""
    stream[0] += GAMMA
    return np.float64(mix(stream[0]) >> np.uint64(11)) * 2.0**-53


@njit(inline="always")
def draw_child(nodes: Nodes, number: int, stream: Stream) -> int:
    """A child of a node of chance, as likely as chance has it."""
    child = nodes[number].first_child
    last = child + nodes[number].num_children - 1
    left = uniform(stream) - nodes[child].probability
    while left >= 0.0 and child < last:
        child += 1
        left -= nodes[child].probability
    return child


@njit(inline="always")
def draw_action(strategy: Floats, begin: int, end: int, stream: Stream) -> int:
    """The place, from 0, of an action drawn from `strategy[begin:end]`; its probability is above 0."""
    left, place = uniform(stream), 0
    for q in range(begin, end):
        if strategy[q] > 0.0:
            place = q - begin
            left -= strategy[q]
            if left < 0.0:
                break
    return place
