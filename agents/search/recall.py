"""Finding a position again in a tree: a template that `games.engine.compiler` turns into machine code for one game."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from games.engine.rules import apply, reseed


@njit(cache=True, nogil=True)
def find(
    nodes: NDArray[Any],
    seat: int,
    target: NDArray[np.uint8],
    stack: NDArray[Any],
    bytes_of_stack: NDArray[np.uint8],
    places: NDArray[np.int32],
    cursors: NDArray[np.int32],
) -> int:
    """The node of the position `target` (its bytes [S]), the next decision of `seat`; -1 if it was not visited.

    `stack[0]` is the position at the first node, its copies [D, S] in bytes; places and cursors [D] are scratch. It
    looks at what others, and chance, may have done since, and no further.
    """
    depth = 0
    places[0] = cursors[0] = 0
    if same(bytes_of_stack[0], target):
        return 0
    while depth >= 0:
        node, player = nodes[places[depth]], stack[depth].current_player
        if cursors[depth] == node.count or player == seat or depth == places.shape[0] - 1:
            depth -= 1
            continue
        place = node.first + cursors[depth]
        cursors[depth] += 1
        if nodes[place].visits > 0:
            depth += 1
            stack[depth] = stack[depth - 1]
            apply(stack[depth], int(nodes[place].action))
            if same(bytes_of_stack[depth], target):
                return place
            places[depth], cursors[depth] = place, 0
    return -1


@njit(cache=True, nogil=True)
def play(state: NDArray[Any], action: int) -> None:
    """Play an action in `state` [1], whose random stream is set to nothing."""
    apply(state[0], action)
    reseed(state[0], 0)


@njit(cache=True, nogil=True)
def still(state: NDArray[Any]) -> None:
    """Set the random stream of `state` [1] to nothing, so that positions can be compared."""
    reseed(state[0], 0)


@njit(inline="always")
def same(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> bool:
    """Whether two positions are equal, byte by byte."""
    at = 0
    while at < one.shape[0] and one[at] == other[at]:
        at += 1
    return at == one.shape[0]
