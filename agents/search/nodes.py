"""The nodes of a search tree, and what is read off them for any game. `agents.search.tree` grows the tree."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from games.engine.game import TERMINAL
from games.engine.jit import njit

NODE = np.dtype(
    [
        ("mean", np.float64),  # mean result of the seat that chose this node; the proven value once there is one
        ("exploration_term", np.float64),  # 1 / sqrt(visits); 0 once proven
        ("proven_value", np.float32),  # result for that seat if both play perfectly; nan if not proven
        ("visits", np.int32),
        ("first_child", np.int32),  # index of the first child
        ("action", np.int16),  # the action, or outcome of chance, that leads here
        ("num_children", np.int16),  # 0 before the node is expanded
        ("num_expanded", np.int16),  # children visited so far: the first ones
        ("seat", np.int8),  # seat to move here, known from the first visit on
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
"""A result that cannot be improved, where results are proven."""


class SearchLimits(NamedTuple):
    """Exploration constant and end of a search."""

    exploration: float
    """Weight of the confidence bound, in units of the largest result so far."""
    simulations: int
    """Number of simulations."""
    deadline: NDArray[np.float64]
    """When the search ends (`agents.search.deadline`), [1]."""


@njit(inline="always")
def add(nodes: NDArray[Any], place: int, action: int) -> None:
    """Initialise a node."""
    node = nodes[place]
    node.mean = node.exploration_term = 0.0
    node.proven_value = np.nan
    node.visits = node.first_child = node.num_children = node.num_expanded = 0
    node.action = action
    node.seat = TERMINAL


@njit(inline="always")
def prove(nodes: NDArray[Any], node: Any, chooser: int) -> bool:
    """Set the proven value of a node if its children settle it; return whether they do.

    They do if one wins for the seat that moves there, or if all are proven.
    """
    best = -np.inf
    certain = node.num_expanded == node.num_children
    for place in range(node.first_child, node.first_child + node.num_expanded):
        if math.isnan(nodes[place].proven_value):
            certain = False
        else:
            best = max(best, np.float64(nodes[place].proven_value))
    if certain or best >= WON:
        node.proven_value = best if chooser == node.seat else -best
        return True
    return False


@njit(inline="always")
def fits(root: Any, child: Any) -> bool:
    """Return whether a child may be played.

    It must reach the proven value of the root or, if the root is not proven, must not be a proven loss.
    """
    # comparisons with nan are False: an unproven child may be played
    return not child.proven_value <= -WON if math.isnan(root.proven_value) else child.proven_value == root.proven_value


@njit(cache=True, nogil=True)
def choose(nodes: NDArray[Any], visits: NDArray[np.int64], eligible: NDArray[np.bool_]) -> int:
    """Return the action to play: the most visited eligible child, and among equals the one of the highest mean.

    Eligible children reach the proven value of the root or, if it has none, are not proven losses. Writes `visits` [A]
    and `eligible` [A] for every expanded action.
    """
    root = nodes[0]
    best, chosen = -1, -1
    for place in range(root.first_child, root.first_child + root.num_expanded):
        child = nodes[place]
        visits[child.action] = child.visits
        may = eligible[child.action] = fits(root, child)
        if may and (
            best < 0
            or child.visits > nodes[best].visits
            or (child.visits == nodes[best].visits and child.mean > nodes[best].mean)
        ):
            best, chosen = place, child.action
    if best < 0 and root.num_expanded < root.num_children:  # all expanded children are losses: the next one may not be
        chosen = nodes[root.first_child + root.num_expanded].action
        eligible[chosen] = True
    return chosen


def shares_of(visits: NDArray[np.int64], eligible: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the shares of visits [n, A] among eligible actions; uniform if none of them was visited."""
    weights = visits * eligible
    weights = np.where(weights.any(axis=1, keepdims=True), weights, eligible)
    shares: NDArray[np.float64] = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1)
    return shares


@njit(cache=True, nogil=True)
def expected(nodes: NDArray[Any]) -> float:
    """Return the expected result of the seat to move at the root: the mean of its simulations, or the proven value."""
    root = nodes[0]
    if not math.isnan(root.proven_value):
        return np.float64(root.proven_value)
    total, visits = 0.0, 0
    for place in range(root.first_child, root.first_child + root.num_expanded):
        total += nodes[place].mean * nodes[place].visits
        visits += nodes[place].visits
    return total / max(visits, 1)


@njit(cache=True, nogil=True)
def follow(nodes: NDArray[Any], action: int, line: NDArray[np.int32]) -> None:
    """Write `action` and then the most visited moves into `line` [L], up to chance or the end; -1 after the last."""
    line[:] = -1
    place = child_by(nodes, 0, action)
    for i in range(line.shape[0]):
        if place < 0:
            break
        line[i] = nodes[place].action
        node = nodes[place]
        place = -1
        if node.seat >= 0:
            for child in range(node.first_child, node.first_child + node.num_expanded):
                if place < 0 or nodes[child].visits > nodes[place].visits:
                    place = child


@njit(cache=True, nogil=True)
def child_by(nodes: NDArray[Any], place: int, action: int) -> int:
    """Return the visited child that an action leads to, -1 if there is none."""
    node = nodes[place]
    for child in range(node.first_child, node.first_child + node.num_children):
        if nodes[child].action == action and nodes[child].visits > 0:
            return child
    return -1


@njit(cache=True, nogil=True)
def keep(nodes: NDArray[Any], root: int, kept: NDArray[Any]) -> int:
    """Copy the subtree at `root` into `kept`, where it becomes the first node; return the number of nodes."""
    kept[0] = nodes[root]
    kept[0].proven_value = np.nan  # it was from the previous seat's view: the next simulation proves it again
    size = 1
    place = 0
    while place < size:
        node = kept[place]
        for i in range(node.num_children):
            kept[size + i] = nodes[node.first_child + i]
        node.first_child = size
        size += node.num_children
        place += 1
    return size
