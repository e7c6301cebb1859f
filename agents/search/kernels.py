"""Looking ahead: a template that `games.engine.compiler` turns into machine code for one game.

Shapes: n positions, A actions, D plies of depth. A search works in a `stack` of D + 1 positions: a move is played by
copying `stack[ply]` into `stack[ply + 1]` and changing it there. `masks` (bool [D, A]), `nodes` (records [D] of `NODE`)
and `payoff` (float32 [2]) are scratch as well. Values are those of the seat that moves, and change sign only where the
seat does: no order of play is assumed.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from games.engine.game import TERMINAL
from games.engine.rules import apply, legal_actions, returns

DECAY = 0.999
"""Factor on a result for every ply that it is further away: quick wins and slow losses are preferred."""

NODE = np.dtype(
    [
        ("cursor", np.int64),  # how many entries of the order of actions have been tried
        ("low", np.float64),  # the value matters between these bounds (alpha and beta)
        ("high", np.float64),
        ("best", np.float64),  # highest value so far
    ]
)
"""One position of the line under search."""


@njit(cache=True, nogil=True)
def one_ply(
    states: NDArray[Any],
    candidates: NDArray[np.bool_],
    stack: NDArray[Any],
    masks: NDArray[np.bool_],
    payoff: NDArray[np.float32],
) -> None:
    """Write into `candidates` [n, A] the winning actions, else those that block a threat, else the legal ones.

    `stack` [3], `masks` [2, A]. In a finished game all actions are candidates.
    """
    for i in range(states.shape[0]):
        stack[0] = states[i]
        if stack[0].current_player == TERMINAL:
            candidates[i] = True
            continue
        masks[0] = False
        legal_actions(stack[0], masks[0])
        if not (find_wins(stack, masks[0], payoff, candidates[i]) or find_threats(stack, masks, payoff, candidates[i])):
            candidates[i] = masks[0]


@njit(cache=True, nogil=True)
def find_wins(
    stack: NDArray[Any], legal: NDArray[np.bool_], payoff: NDArray[np.float32], found: NDArray[np.bool_]
) -> bool:
    """Mark in `found` [A] the actions that win at once; returns whether there is one."""
    for action in range(found.shape[0]):
        found[action] = legal[action] and wins(stack, 0, action, payoff)
    return bool(found.any())


@njit(cache=True, nogil=True)
def find_threats(
    stack: NDArray[Any], masks: NDArray[np.bool_], payoff: NDArray[np.float32], found: NDArray[np.bool_]
) -> bool:
    """Mark in `found` [A] what wins for the other seat after every action but itself; returns whether there is one.

    A threat is refuted by any action after which it does not win, so most fall at the first one tried.
    """
    found[:] = masks[0]
    seat = stack[0].current_player
    for action in range(found.shape[0]):
        if not masks[0, action]:
            continue
        stack[1] = stack[0]
        apply(stack[1], action)
        masks[1] = False
        if stack[1].current_player == 1 - seat:
            legal_actions(stack[1], masks[1])
        for reply in range(found.shape[0]):
            if found[reply] and reply != action:
                found[reply] = masks[1, reply] and wins(stack, 1, reply, payoff)
    return bool(found.any())


@njit(cache=True, nogil=True)
def wins(stack: NDArray[Any], ply: int, action: int, payoff: NDArray[np.float32]) -> bool:
    """Whether `action` ends the game of `stack[ply]` well for the seat that plays it."""
    stack[ply + 1] = stack[ply]
    after = stack[ply + 1]
    apply(after, action)
    if after.current_player != TERMINAL:
        return False
    payoff[:] = 0
    returns(after, payoff)
    return payoff[stack[ply].current_player] > 0


@njit(cache=True, nogil=True)
def alphabeta(
    states: NDArray[Any],
    order: NDArray[np.int64],
    best: NDArray[np.bool_],
    value: NDArray[np.float64],
    stack: NDArray[Any],
    nodes: NDArray[Any],
    masks: NDArray[np.bool_],
    payoff: NDArray[np.float32],
) -> None:
    """Write into `best` [n, A] every action of the highest value, and that value into `value` [n].

    `order` [A] says which actions are tried first. In a finished game all actions are best and the value is 0.
    """
    legal = np.empty(order.shape[0], np.bool_)
    for i in range(states.shape[0]):
        stack[0] = states[i]
        if stack[0].current_player == TERMINAL:
            best[i] = True
            value[i] = 0.0
            continue
        legal[:] = False
        legal_actions(stack[0], legal)
        best[i] = False
        value[i] = -np.inf
        for action in order:
            if not legal[action]:
                continue
            masks[0] = False
            masks[0, action] = True
            # the window opens a hair's breadth below the best value, so that an equal one comes out exactly
            worth = search(stack, nodes, masks, payoff, order, np.nextafter(value[i], -np.inf))
            if worth > value[i]:
                best[i] = False
                value[i] = worth
            best[i, action] = worth == value[i]


@njit(cache=True, nogil=True)
def search(
    stack: NDArray[Any],
    nodes: NDArray[Any],
    masks: NDArray[np.bool_],
    payoff: NDArray[np.float32],
    order: NDArray[np.int64],
    alpha: float,
) -> float:
    """The highest value among the actions in `masks[0]` for the seat to move in `stack[0]`.

    Exact if it is above `alpha`, otherwise a bound from above (fail-soft). The walk keeps its own stack of nodes,
    since numba does not cache a function that calls itself.
    """
    ply = 0
    open_node(nodes[0], alpha, np.inf)
    while True:
        node = nodes[ply]
        if node.cursor == order.shape[0] or node.best >= node.high:
            if ply == 0:
                return node.best
            ply -= 1
            same = stack[ply].current_player == stack[ply + 1].current_player
            worth = node.best if same else 0.0 - node.best  # the difference is never a minus zero
            nodes[ply].best = max(nodes[ply].best, worth)
            continue
        action = order[node.cursor]
        node.cursor += 1
        if not masks[ply, action]:
            continue
        stack[ply + 1] = stack[ply]
        after = stack[ply + 1]
        apply(after, action)
        if after.current_player == TERMINAL:
            payoff[:] = 0
            returns(after, payoff)
            node.best = max(node.best, payoff[stack[ply].current_player] * DECAY**ply)
        elif ply + 1 == nodes.shape[0]:
            node.best = max(node.best, 0.0)
        else:
            low = max(node.low, node.best)
            ply += 1
            masks[ply] = False
            legal_actions(after, masks[ply])
            if after.current_player == stack[ply - 1].current_player:
                open_node(nodes[ply], low, node.high)
            else:
                open_node(nodes[ply], -node.high, -low)


@njit(cache=True, nogil=True)
def open_node(node: Any, low: float, high: float) -> None:
    """Begin the search of a node whose value matters between `low` and `high`."""
    node.cursor = 0
    node.low = low
    node.high = high
    node.best = -np.inf
