"""Writing out a game: a template that `games.engine.compiler` turns into machine code for one game.

Shapes: N nodes of the tree, Z of them ends, S information states of I numbers, D depth, A actions, C outcomes of
chance, P seats. The walk goes deep first; the children of a node get consecutive numbers, above its own.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from games.engine.chance import mix
from games.engine.game import CHANCE, TERMINAL
from games.engine.rules import NUM_ACTIONS, apply, chance_outcomes, information_state, legal_actions, returns

NODE = np.dtype(
    [
        ("probability", np.float64),  # of the outcome of chance that leads here; 1 where it was no chance
        ("parent", np.int32),  # -1 for the root
        ("action", np.int32),  # the action or outcome that leads here
        ("first_child", np.int32),
        ("num_children", np.int32),
        ("index", np.int32),  # number of its information state, or, at an end, of its payoffs; -1 for chance
        ("seat", np.int8),  # who moves: a seat, CHANCE or TERMINAL
    ]
)
"""One node of a game tree: a history."""

FNV_PRIME = np.uint64(0x100000001B3)
"""Spreads the entries of an information state over 64 bits (Fowler, Noll, Vo)."""

NODES, ENDS, STATES, CUTS, MISFITS = 0, 1, 2, 3, 4
"""Places in `found`: cuts are nodes too deep to be opened, misfits those whose information state elsewhere has another
number of actions."""


@njit(cache=True, nogil=True)
def walk(
    initial: NDArray[Any],
    most: int,
    stack: NDArray[Any],
    masks: NDArray[np.bool_],
    chances: NDArray[np.float64],
    line: NDArray[np.int64],
    nodes: NDArray[Any],
    payoffs: NDArray[np.float64],
    known: NDArray[Any],
    known_by: NDArray[np.int64],
    slots: NDArray[np.int32],
    found: NDArray[np.int64],
) -> None:
    """Count into `found` [5] what there is, and write it out as far as the arrays hold it.

    `initial` is [1]; the walk stops where there are more than `most` nodes, and opens none deeper than the `stack` [D].
    Written are `nodes` [N], `payoffs` [Z, P], `known` [S, I] (what the seats `known_by` [S, 2] know, whose second
    column is the number of actions). `slots` is the hash table of `known`, -1 on entry, a power of two of them; with
    I = 0 every decision is an information state of its own. `masks` [D, W], `chances` [D, C] and `line` [D, 3] (node,
    next child, next action) are scratch.
    """
    found[:] = 0
    found[NODES] = 1
    stack[0] = initial[0]
    line[0] = 0
    write_node(nodes, 0, -1, -1, 1.0)
    depth = 0
    open_node(stack[0], line[0], masks[0], chances[0], nodes, payoffs, known, known_by, slots, found)
    while depth >= 0:
        action = line[depth, 2]
        while action < masks.shape[1] and not masks[depth, action]:
            action += 1
        if action == masks.shape[1]:
            depth -= 1
            continue
        line[depth, 2] = action + 1
        child = line[depth, 1]
        line[depth, 1] = child + 1
        was_chance = stack[depth].current_player == CHANCE
        write_node(nodes, child, line[depth, 0], action, chances[depth, action] if was_chance else 1.0)
        if depth + 1 == stack.shape[0]:
            found[CUTS] += 1
            continue
        stack[depth + 1] = stack[depth]
        depth += 1
        apply(stack[depth], action)
        line[depth, 0] = child
        open_node(
            stack[depth], line[depth], masks[depth], chances[depth], nodes, payoffs, known, known_by, slots, found
        )
        if found[NODES] > most:
            return


@njit(cache=True, nogil=True)
def write_node(nodes: NDArray[Any], number: int, parent: int, action: int, probability: float) -> None:
    """Note where a node comes from."""
    if number < nodes.shape[0]:
        nodes[number].parent = parent
        nodes[number].action = action
        nodes[number].probability = probability


@njit(cache=True, nogil=True)
def open_node(
    state: Any,
    place: NDArray[np.int64],
    mask: NDArray[np.bool_],
    chance: NDArray[np.float64],
    nodes: NDArray[Any],
    payoffs: NDArray[np.float64],
    known: NDArray[Any],
    known_by: NDArray[np.int64],
    slots: NDArray[np.int32],
    found: NDArray[np.int64],
) -> None:
    """Number the children of the node at `place`, whose `mask` says which there are, and note who moves."""
    mask[:] = False
    index, children = -1, 0
    if state.current_player == CHANCE:
        chance[:] = 0.0
        chance_outcomes(state, chance)
        for outcome in range(chance.shape[0]):
            mask[outcome] = chance[outcome] > 0.0
            children += mask[outcome]
    elif state.current_player == TERMINAL:
        index = found[ENDS]
        found[ENDS] += 1
        if index < payoffs.shape[0]:
            earned = np.zeros(payoffs.shape[1], np.float32)
            returns(state, earned)
            payoffs[index] = earned
    else:
        legal_actions(state, mask[:NUM_ACTIONS])
        for action in range(NUM_ACTIONS):
            children += mask[action]
        index = number_of(state, children, known, known_by, slots, found)
    place[1] = found[NODES]
    place[2] = 0
    found[NODES] += children
    if place[0] < nodes.shape[0]:
        node = nodes[place[0]]
        node.first_child = place[1]
        node.num_children = children
        node.index = index
        node.seat = state.current_player


@njit(cache=True, nogil=True)
def number_of(
    state: Any,
    actions: int,
    known: NDArray[Any],
    known_by: NDArray[np.int64],
    slots: NDArray[np.int32],
    found: NDArray[np.int64],
) -> int:
    """The number of what the seat to move knows, a new one if nobody has known that before; -1 if there is no room."""
    seat = int(state.current_player)
    if known_by.shape[0] == 0:
        return -1
    key = np.empty(known.shape[1], known.dtype)
    slot = 0
    if known.shape[1] > 0:
        information_state(state, seat, key)
        slot = find(key, seat, known, known_by, slots)
        if slots[slot] >= 0:
            found[MISFITS] += known_by[slots[slot], 1] != actions
            return int(slots[slot])
    number = int(found[STATES])
    found[STATES] += 1
    known[number] = key
    known_by[number, 0] = seat
    known_by[number, 1] = actions
    slots[slot] = number
    return number


@njit(cache=True, nogil=True)
def find(
    key: NDArray[Any], seat: int, known: NDArray[Any], known_by: NDArray[np.int64], slots: NDArray[np.int32]
) -> int:
    """The slot that holds the number of a key, or the free one where it belongs."""
    bits = np.uint64(seat + 1)
    for entry in key:
        bits = (bits ^ np.uint64(np.int64(entry))) * FNV_PRIME
    last = slots.shape[0] - 1
    slot = np.int64(mix(bits) & np.uint64(last))
    while slots[slot] >= 0 and not same(key, seat, known[slots[slot]], known_by[slots[slot], 0]):
        slot = (slot + 1) & last
    return int(slot)


@njit(cache=True, nogil=True)
def same(key: NDArray[Any], seat: int, other: NDArray[Any], other_seat: int) -> bool:
    """Whether two seats are one and know the same."""
    alike = seat == other_seat
    for i in range(key.shape[0]):
        alike &= key[i] == other[i]
    return alike


@njit(cache=True, nogil=True)
def replay(initial: NDArray[Any], nodes: NDArray[Any], wanted: NDArray[np.int64], states: NDArray[Any]) -> None:
    """Write into `states` [n] the positions at the nodes `wanted` [n]."""
    path = np.empty(nodes.shape[0], np.int32)
    for i in range(wanted.shape[0]):
        length, node = 0, wanted[i]
        while node > 0:
            path[length] = nodes[node].action
            length += 1
            node = nodes[node].parent
        states[i] = initial[0]
        for step in range(length - 1, -1, -1):
            apply(states[i], path[step])
