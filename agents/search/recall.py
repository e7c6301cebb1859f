"""Finding a position in a kept tree: a template that `games.engine.compiler` turns into machine code for one game."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.jit import njit
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
    """Return the node of the position `target` (bytes [S]), a decision of `seat`; -1 if it was not visited.

    `stack[0]` is the position of the first node; `bytes_of_stack` [D, S] is the same memory. `places` and `cursors` [D]
    are scratch. Only moves of other seats and of chance since then are followed.
    """
    depth = 0
    places[0] = cursors[0] = 0
    if same(bytes_of_stack[0], target):
        return 0
    while depth >= 0:
        node, player = nodes[places[depth]], stack[depth].current_player
        if cursors[depth] == node.num_children or player == seat or depth == places.shape[0] - 1:
            depth -= 1
            continue
        place = node.first_child + cursors[depth]
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
    """Play an action in `state` [1] and clear its random stream."""
    apply(state[0], action)
    reseed(state[0], 0)


@njit(cache=True, nogil=True)
def still(state: NDArray[Any]) -> None:
    """Clear the random stream of `state` [1], so that positions can be compared."""
    reseed(state[0], 0)


@njit(inline="always")
def same(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> bool:
    """Return whether two positions are equal, byte by byte."""
    at = 0
    while at < one.shape[0] and one[at] == other[at]:
        at += 1
    return at == one.shape[0]
