"""Sampling of chance and players in compiled code, with a random stream passed in by the caller."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.analysis.tree import Floats, SequenceForm
from games.engine.chance import GAMMA, mix
from games.engine.jit import njit

Nodes = NDArray[Any]
"""Records of `arena.analysis.walk.NODE`, [N]."""
Stream = NDArray[np.uint64]
"""State of a splitmix64 random stream, [1]."""


class TreeArrays(NamedTuple):
    """A `GameTree` as compiled code reads it."""

    form: SequenceForm
    nodes: Nodes
    payoffs: Floats
    """[Z, P]."""


class SampleTables(NamedTuple):
    """Arrays of a sampling solver over the sequences, all [Q]."""

    regrets: Floats
    """Cumulative regrets."""
    average: Floats
    """Estimates of the cumulative realization plans."""
    strategy: Floats
    """Scratch for the strategies that regrets lead to."""


@njit(inline="always")
def uniform(stream: Stream) -> float:
    """Draw a number in [0, 1)."""
    stream[0] += GAMMA
    return np.float64(mix(stream[0]) >> np.uint64(11)) * 2.0**-53


@njit(inline="always")
def draw_child(nodes: Nodes, number: int, stream: Stream) -> int:
    """Draw a child of a chance node by its probabilities."""
    child = nodes[number].first_child
    last = child + nodes[number].num_children - 1
    left = uniform(stream) - nodes[child].probability
    while left >= 0.0 and child < last:
        child += 1
        left -= nodes[child].probability
    return child


@njit(inline="always")
def draw_action(strategy: Floats, begin: int, end: int, stream: Stream) -> int:
    """Draw an index, from 0, with the probabilities `strategy[begin:end]`; one of probability 0 is never drawn."""
    left, place = uniform(stream), 0
    for q in range(begin, end):
        if strategy[q] > 0.0:
            place = q - begin
            left -= strategy[q]
            if left < 0.0:
                break
    return place
