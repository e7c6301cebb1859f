"""The nodes of a tree, whatever the game, and what is read off them; who searches is `agents.search.tree`."""

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from games.engine.game import TERMINAL

NODE = np.dtype(
    [
        ("mean", np.float64),  # result of the seat that chose this node, over its simulations; its worth once proven
        ("doubt", np.float64),  # 1 / sqrt(visits), 0 once the worth is proven: what exploration is proportional to
        ("worth", np.float32),  # its result for that seat if both play perfectly, nan as long as that is not proven
        ("visits", np.int32),
        ("first", np.int32),  # place of the first child
        ("action", np.int16),  # the action, or outcome of chance, that leads here
        ("count", np.int16),  # children; 0 before there are any
        ("tried", np.int16),  # children that have been visited, the first ones
        ("seat", np.int8),  # who moves here, once it has been visited
    ],
    align=True,
)
TREE = np.dtype(
    [
        ("size", np.int64),  # nodes in use
        ("done", np.int64),  # simulations
        ("seed", np.uint64),
        ("scale", np.float64),  # largest result so far, in absolute value: exploration is measured in it
    ]
)
WON = 1.0
"""A result that needs no improving, where results are proven."""


@njit(inline="always")
def add(nodes: NDArray[Any], place: int, action: int) -> None:
    """Begin a node."""
    node = nodes[place]
    node.mean = node.doubt = 0.0
    node.worth = np.nan
    node.visits = node.first = node.count = node.tried = 0
    node.action = action
    node.seat = TERMINAL


@njit(inline="always")
def prove(nodes: NDArray[Any], node: Any, chooser: int) -> bool:
    """Whether children settle the `worth` of a node for the seat that chose it: one wins, or all are proven."""
    best = -np.inf
    certain = node.tried == node.count
    for place in range(node.first, node.first + node.tried):
        if math.isnan(nodes[place].worth):
            certain = False
        else:
            best = max(best, np.float64(nodes[place].worth))
    if certain or best >= WON:
        node.worth = best if chooser == node.seat else -best
        return True
    return False


@njit(inline="always")
def fits(root: Any, child: Any) -> bool:
    """Whether a child may be played: it brings about the proven result or, if there is none, is not proven to lose."""
    # nan is neither: what is not proven may be played
    return not child.worth <= -WON if math.isnan(root.worth) else child.worth == root.worth


@njit(cache=True, nogil=True)
def choose(nodes: NDArray[Any], visits: NDArray[np.int64], eligible: NDArray[np.bool_]) -> int:
    """The action to play: that of the child visited most, of equals the better one.

    If the result is proven, among those that bring it about; else not one that is proven to lose. Of every action that
    was tried `visits` [A], and whether it is `eligible` by this [A], are written.
    """
    root = nodes[0]
    best, chosen = -1, -1
    for place in range(root.first, root.first + root.tried):
        child = nodes[place]
        visits[child.action] = child.visits
        may = eligible[child.action] = fits(root, child)
        if may and (
            best < 0
            or child.visits > nodes[best].visits
            or (child.visits == nodes[best].visits and child.mean > nodes[best].mean)
        ):
            best, chosen = place, child.action
    if best < 0 and root.tried < root.count:  # all that were tried lose: the next one need not
        chosen = nodes[root.first + root.tried].action
        eligible[chosen] = True
    return chosen


def shares_of(visits: NDArray[np.int64], eligible: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Shares of visits [n, A] among eligible actions; if none of those was visited, all are alike."""
    weights = visits * eligible
    weights = np.where(weights.any(axis=1, keepdims=True), weights, eligible)
    shares: NDArray[np.float64] = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1)
    return shares


@njit(cache=True, nogil=True)
def expected(nodes: NDArray[Any]) -> float:
    """What the seat that moves at the root may expect: the mean of its simulations, or the result if it is proven."""
    root = nodes[0]
    if not math.isnan(root.worth):
        return np.float64(root.worth)
    total, visits = 0.0, 0
    for place in range(root.first, root.first + root.tried):
        total += nodes[place].mean * nodes[place].visits
        visits += nodes[place].visits
    return total / max(visits, 1)


@njit(cache=True, nogil=True)
def follow(nodes: NDArray[Any], action: int, line: NDArray[np.int32]) -> None:
    """Write into `line` [L] `action` and then the ones visited most, up to chance or the end; -1 after the last."""
    line[:] = -1
    place = child_by(nodes, 0, action)
    for i in range(line.shape[0]):
        if place < 0:
            break
        line[i] = nodes[place].action
        node = nodes[place]
        place = -1
        if node.seat >= 0:
            for child in range(node.first, node.first + node.tried):
                if place < 0 or nodes[child].visits > nodes[place].visits:
                    place = child


@njit(cache=True, nogil=True)
def child_by(nodes: NDArray[Any], place: int, action: int) -> int:
    """The visited child that an action leads to, -1 if there is none."""
    node = nodes[place]
    for child in range(node.first, node.first + node.count):
        if nodes[child].action == action and nodes[child].visits > 0:
            return child
    return -1


@njit(cache=True, nogil=True)
def keep(nodes: NDArray[Any], root: int, kept: NDArray[Any]) -> int:
    """Copy what lies below `root` into `kept`, whose first node it becomes; returns how many nodes that are."""
    kept[0] = nodes[root]
    kept[0].worth = np.nan  # it was that for the seat before: the next simulation proves it again
    size = 1
    place = 0
    while place < size:
        node = kept[place]
        for i in range(node.count):
            kept[size + i] = nodes[node.first + i]
        node.first = size
        size += node.count
        place += 1
    return size
