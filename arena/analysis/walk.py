"""Building a game's tree: a template that `games.engine.compiler` compiles for one game.

Shapes: N nodes of the tree, Z of them ends, S information states of I numbers, D depth, A actions, C outcomes of
chance, P seats. The walk is depth-first; children of a node have consecutive numbers, higher than its own.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from games.engine.chance import mix
from games.engine.entries import unowned
from games.engine.game import CHANCE, TERMINAL
from games.engine.jit import njit
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
"""Multiplier of the FNV hash (Fowler, Noll, Vo) of an information state, 64 bits."""

NODES, ENDS, STATES, CUTS, MISFITS = 0, 1, 2, 3, 4
"""Entries of `counts`. Cuts are nodes too deep to be opened. Misfits are nodes whose information state has another
number of actions at an earlier node."""


class WalkPath(NamedTuple):
    """The nodes from the root to where a walk is."""

    stack: NDArray[Any]
    """The positions, records [D]."""
    masks: NDArray[np.bool_]
    """Actions or outcomes of each, [D, max(A, C)]."""
    chances: NDArray[np.float64]
    """Probabilities of outcomes of each, [D, C]."""
    places: NDArray[np.int64]
    """Number of the node, of its next child, and its next action, [D, 3]."""


class Written(NamedTuple):
    """Output of a walk: as many nodes, ends and information states as there is room for."""

    nodes: NDArray[Any]
    """Records `NODE` [N]."""
    payoffs: NDArray[np.float64]
    """Payoffs at the ends, [Z, P]."""
    known: NDArray[Any]
    """The information states, [S, I]; with I = 0 every decision is one of its own."""
    known_by: NDArray[np.int64]
    """Their seats and numbers of actions, [S, 2]."""
    slots: NDArray[np.int32]
    """Hash table of the information states: a power of two of entries, all -1 on entry."""
    counts: NDArray[np.int64]
    """How many nodes, ends and information states there are, and what else was counted, [5]."""


@njit(cache=True, nogil=True)
def walk(initial: NDArray[Any], most: int, line: WalkPath, written: Written) -> None:
    """Count nodes, ends and information states, and write as many as there is room for.

    `initial` is [1]. The walk stops at more than `most` nodes, and opens none deeper than D.
    """
    line, written = unowned(line), unowned(written)
    stack, masks, chances, places = line
    nodes, counts = written.nodes, written.counts
    counts[:] = 0
    counts[NODES] = 1
    stack[0] = initial[0]
    places[0] = 0
    write_node(nodes, 0, -1, -1, 1.0)
    depth = 0
    open_node(stack[0], places[0], masks[0], chances[0], written)
    while depth >= 0:
        action = places[depth, 2]
        while action < masks.shape[1] and not masks[depth, action]:
            action += 1
        if action == masks.shape[1]:
            depth -= 1
            continue
        places[depth, 2] = action + 1
        child = places[depth, 1]
        places[depth, 1] = child + 1
        was_chance = stack[depth].current_player == CHANCE
        write_node(nodes, child, places[depth, 0], action, chances[depth, action] if was_chance else 1.0)
        if depth + 1 == stack.shape[0]:
            counts[CUTS] += 1
            continue
        stack[depth + 1] = stack[depth]
        depth += 1
        apply(stack[depth], action)
        places[depth, 0] = child
        open_node(stack[depth], places[depth], masks[depth], chances[depth], written)
        if counts[NODES] > most:
            return


@njit(cache=True, nogil=True)
def write_node(nodes: NDArray[Any], number: int, parent: int, action: int, probability: float) -> None:
    """Record parent, action and probability of a node."""
    if number < nodes.shape[0]:
        nodes[number].parent = parent
        nodes[number].action = action
        nodes[number].probability = probability


@njit(cache=True, nogil=True)
def open_node(
    state: Any, place: NDArray[np.int64], mask: NDArray[np.bool_], chance: NDArray[np.float64], written: Written
) -> None:
    """Number the children of the node at `place` [3], write `mask` [W] of their actions, and record who moves."""
    nodes, payoffs, counts = written.nodes, written.payoffs, written.counts
    mask[:] = False
    index, children = -1, 0
    if state.current_player == CHANCE:
        chance[:] = 0.0
        chance_outcomes(state, chance)
        for outcome in range(chance.shape[0]):
            mask[outcome] = chance[outcome] > 0.0
            children += mask[outcome]
    elif state.current_player == TERMINAL:
        index = counts[ENDS]
        counts[ENDS] += 1
        if index < payoffs.shape[0]:
            payoff = np.zeros(payoffs.shape[1], np.float32)
            returns(state, payoff)
            payoffs[index] = payoff
    else:
        legal_actions(state, mask[:NUM_ACTIONS])
        for action in range(NUM_ACTIONS):
            children += mask[action]
        index = number_of(state, children, written)
    place[1] = counts[NODES]
    place[2] = 0
    counts[NODES] += children
    if place[0] < nodes.shape[0]:
        node = nodes[place[0]]
        node.first_child = place[1]
        node.num_children = children
        node.index = index
        node.seat = state.current_player


@njit(cache=True, nogil=True)
def number_of(state: Any, actions: int, written: Written) -> int:
    """Return the number of the mover's information state, a new one if it is unknown; -1 while only counting."""
    known, known_by, slots, counts = written.known, written.known_by, written.slots, written.counts
    seat = int(state.current_player)
    if known_by.shape[0] == 0:
        return -1
    key = np.empty(known.shape[1], known.dtype)
    slot = 0
    if known.shape[1] > 0:
        information_state(state, seat, key)
        slot = find(key, seat, known, known_by, slots)
        if slots[slot] >= 0:
            counts[MISFITS] += known_by[slots[slot], 1] != actions
            return int(slots[slot])
    number = int(counts[STATES])
    counts[STATES] += 1
    known[number] = key
    known_by[number, 0] = seat
    known_by[number, 1] = actions
    slots[slot] = number
    return number


@njit(cache=True, nogil=True)
def find(
    key: NDArray[Any], seat: int, known: NDArray[Any], known_by: NDArray[np.int64], slots: NDArray[np.int32]
) -> int:
    """Return the slot of a key, or the free slot for it (linear probing)."""
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
    """Return whether two information states are equal and of one seat."""
    alike = seat == other_seat
    for i in range(key.shape[0]):
        alike &= key[i] == other[i]
    return alike


@njit(cache=True, nogil=True)
def replay(initial: NDArray[Any], nodes: NDArray[Any], wanted: NDArray[np.int64], states: NDArray[Any]) -> None:
    """Write into `states` [n] the states at the nodes `wanted` [n], replayed from the root."""
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
