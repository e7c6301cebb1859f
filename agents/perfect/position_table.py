"""Transposition table of positions that are two words: bounds of their scores, and the moves that were best.

Each position has one of two entries. The first of the two holds what took longest to search.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.bits import ONE
from games.engine.jit import njit

ENTRY = np.dtype(
    [
        ("own", np.uint64),
        ("other", np.uint64),
        ("low", np.int16),  # bounds of the score
        ("high", np.int16),
        ("move", np.int8),  # that was best, -1 for none
        ("effort", np.int16),  # the larger, the longer the search took
    ],
    align=True,
)
"""A table is records of this; their number is a power of two."""


@njit
def index_of(own: Any, other: Any, table: NDArray[Any]) -> Any:
    """Return the first of the two entries where a position may be."""
    mixed = (own ^ other * np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xD6E8FEB86659FD93)
    return mixed >> np.uint64(32) & np.uint64(table.shape[0] - 2)


@njit
def entry_of(own: Any, other: Any, effort: int, table: NDArray[Any]) -> Any:
    """Return the index of a position's entry; where it has none, that of the one to be replaced."""
    first = index_of(own, other, table)
    if table[first].own == own and table[first].other == other:
        return first
    second = first + ONE
    if table[second].own == own and table[second].other == other:
        return second
    return second if table[first].effort > effort else first


@njit(cache=True)
def known_bounds(own: Any, other: Any, most: int, table: NDArray[Any]) -> Any:
    """Return bounds of a position's score, low and high, and its best move; without an entry -`most`, `most` and -1."""
    entry = table[entry_of(own, other, 0, table)]
    if entry.own == own and entry.other == other:
        return np.int64(entry.low), np.int64(entry.high), np.int64(entry.move)
    return np.int64(-most), np.int64(most), np.int64(-1)


@njit
def remember(own: Any, other: Any, low: int, high: int, move: int, effort: int, table: NDArray[Any]) -> None:
    """Store bounds of a position's score, narrowing those that are there, and its best move."""
    entry = table[entry_of(own, other, effort, table)]
    if entry.own == own and entry.other == other:
        low, high = max(entry.low, low), min(entry.high, high)
    entry.own, entry.other, entry.low, entry.high, entry.move, entry.effort = own, other, low, high, move, effort
