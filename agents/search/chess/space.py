"""The memory of a search of chess: positions of the current line, and what is known of them and of others."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search.chess.generate import MOST_MOVES
from agents.search.chess.position import POSITION

PLIES = 128
"""Longest line, quiescence included."""
EARLIER = 128
"""Positions before the root that are remembered for repetitions, at most."""

FRAME = np.dtype(
    [
        ("alpha", np.int32),
        ("beta", np.int32),
        ("first_alpha", np.int32),  # alpha when the node was entered
        ("depth", np.int32),  # plies that are left
        ("best", np.int32),  # highest value so far
        ("static", np.int32),  # value without looking ahead; -INFINITE in check
        ("move", np.int32),  # move of the highest value above alpha, NO_MOVE before there is one
        ("current", np.int32),  # move that is searched
        ("count", np.int32),  # moves listed
        ("cursor", np.int32),  # moves tried
        ("searched", np.int32),  # legal moves searched
        ("phase", np.int8),  # NULL_FIRST, NULL_SEARCHED or MOVES
        ("mode", np.int8),  # how the current move is searched: REDUCED, SCOUT or FULL
        ("check", np.bool_),
        ("quiet", np.bool_),  # the current move neither takes nor promotes
        ("may_pass", np.bool_),  # a null move may be tried
    ],
    align=True,
)
"""A node of the current line; values are in centipawns for its seat to move."""
NULL_FIRST, NULL_SEARCHED, MOVES = range(3)
REDUCED, SCOUT, FULL = range(3)

ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("value", np.int32),
        ("move", np.int32),
        ("depth", np.int16),
        ("bound", np.int8),
        ("age", np.uint8),
    ],
    align=True,
)
"""A position in the transposition table."""


class Space(NamedTuple):
    """The arrays that a search works in."""

    stack: NDArray[Any]
    """Positions of the current line, records `POSITION` [PLIES]."""
    frames: NDArray[Any]
    """Their nodes, records `FRAME` [PLIES]."""
    moves: NDArray[np.int32]
    """Their moves, [PLIES, MOST_MOVES]."""
    scores: NDArray[np.int32]
    """By which moves are tried, the highest first, [PLIES, MOST_MOVES]."""
    keys: NDArray[np.uint64]
    """Keys of the positions before the root and of those of the line, [EARLIER + PLIES]; the root's is at EARLIER."""
    table: NDArray[Any]
    """Transposition table, records `ENTRY` [2^k]."""
    killers: NDArray[np.int32]
    """The two last quiet moves that were too good at each ply, [PLIES, 2]."""
    history: NDArray[np.int32]
    """History heuristic: how often each seat's quiet move was good, [2, 4096]."""
    counters: NDArray[np.int64]
    """The age of the table, and whether the search has been stopped, [2]."""
    weights: NDArray[Any]
    """What the features of a position count, a record `WEIGHTS` [1]."""


AGE, STOPPED = range(2)


def new_space(table_bits: int, weights: NDArray[Any]) -> Space:
    """Return the memory of a search with a table of 2^k positions."""
    return Space(
        stack=np.zeros(PLIES, POSITION),
        frames=np.zeros(PLIES, FRAME),
        moves=np.zeros((PLIES, MOST_MOVES), np.int32),
        scores=np.zeros((PLIES, MOST_MOVES), np.int32),
        keys=np.zeros(EARLIER + PLIES, np.uint64),
        table=np.zeros(1 << table_bits, ENTRY),
        killers=np.zeros((PLIES, 2), np.int32),
        history=np.zeros((2, 4096), np.int32),
        counters=np.zeros(2, np.int64),
        weights=weights,
    )


def forget(space: Space) -> None:
    """Empty the table and the history, so that the next search depends on nothing before it."""
    if space.counters[AGE]:  # something has been searched since
        space.table.view(np.uint8).fill(0)  # records are filled one by one: 100 ms of a player's clock
        space.history[:] = 0
        space.counters[AGE] = 0
