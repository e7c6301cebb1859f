"""Table of positions that a minimax search has been at before, and what a stored value says there.

A value may be exact or a bound, since alpha-beta stops at a node once it is known to lie outside the window.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.chance import mix
from games.engine.jit import njit

ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("value", np.float64),
        ("action", np.int16),  # action of this value
        ("depth", np.int16),  # depth of the search in plies
        ("bound", np.int8),
        ("certain", np.bool_),
    ]
)
"""A position in the transposition table."""
EXACT, AT_LEAST, AT_MOST = 1, 2, 3


@njit(inline="always")
def settles(bound: int, value: float, low: float, high: float) -> bool:
    """Return whether a stored value makes a search with the window from `low` to `high` unnecessary."""
    return bound == EXACT or (bound == AT_LEAST and value >= high) or (bound == AT_MOST and value <= low)


@njit(inline="always")
def entry_of(table: NDArray[Any], key: Any) -> Any:
    """Return the entry of a table [2^k] in which a position of this key is kept, if it is."""
    return table[np.int64(key & np.uint64(table.shape[0] - 1))]


@njit(inline="always")
def reaches(entry: Any, depth: int) -> bool:
    """Return whether an entry is as good as a search of `depth` plies: of the same depth, or with nothing cut off."""
    return entry.depth == depth or (entry.certain and entry.depth < depth)


@njit(inline="always")
def remember(table: NDArray[Any], node: Any, depth: int) -> None:
    """Store a completed node in the table, always replacing."""
    entry = entry_of(table, node.key)
    entry.key = node.key
    entry.value = node.best
    entry.action = node.action
    entry.depth = depth
    entry.certain = node.certain
    entry.bound = AT_LEAST if node.best >= node.high else AT_MOST if node.best <= node.low else EXACT


@njit(inline="always")
def key_of(position: NDArray[np.uint8], salt: Any) -> Any:
    """Return a 64-bit hash of a position given as bytes [S], mixed in eight at a time."""
    key = np.uint64(salt)
    whole = position.shape[0] // 8 * 8
    for at in range(0, whole, 8):
        word = np.uint64(0)
        for i in range(8):
            word |= np.uint64(position[at + i]) << np.uint64(8 * i)
        key = (key ^ word) * np.uint64(0x9FB21C651E98DF25)
        key ^= key >> np.uint64(32)
    for at in range(whole, position.shape[0]):
        key = (key ^ np.uint64(position[at])) * np.uint64(0x9FB21C651E98DF25)
        key ^= key >> np.uint64(32)
    return mix(key)
