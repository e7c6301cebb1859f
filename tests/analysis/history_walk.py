"""CFR+ as OpenSpiel 2.0.2 computes it (`cfr.cc`): history by history, from the root, in this order of additions."""

from typing import Any

import numpy as np
from numba import njit

from games.engine.game import CHANCE, TERMINAL


def cfr_plus(tree: Any, iterations: int) -> Any:
    """The average strategy [Q] of a game of two seats."""
    first = tree.form.first_sequence
    regrets, average = np.zeros(tree.num_sequences), np.zeros(tree.num_sequences)
    _run(tree.nodes, tree.payoffs.astype(np.float64), first, regrets, average, iterations)
    strategy = np.ones_like(average)
    _match(first, average, strategy)
    return strategy


@njit
def _run(nodes, payoffs, first, regrets, average, iterations):
    strategy = np.empty_like(regrets)
    _match(first, regrets, strategy)
    reach, value = np.ones(3), np.empty(2)
    for t in range(1, iterations + 1):
        for seat in range(2):
            _visit(nodes, payoffs, first, 0, seat, reach, strategy, regrets, average, float(t), value)
            for q in range(len(regrets)):
                regrets[q] = max(regrets[q], 0.0)
            _match(first, regrets, strategy)


@njit
def _visit(nodes, payoffs, first, number, seat, reach, strategy, regrets, average, t, value):
    """Write into `value` [2] what a history is worth; `reach` [3] is how likely the seats and chance do their parts."""
    node = nodes[number]
    value[:] = 0.0
    if node.seat == TERMINAL:
        value[:] = payoffs[node.index]
        return
    if node.seat != CHANCE and reach[0] == 0.0 and reach[1] == 0.0:
        return
    mover = 2 if node.seat == CHANCE else node.seat
    begin = first[node.index]
    below, earned, further = np.empty(2), np.empty(node.num_children), reach.copy()
    for k in range(node.num_children):
        child = node.first_child + k
        p = nodes[child].probability if mover == 2 else strategy[begin + k]
        further[mover] = reach[mover] * p
        _visit(nodes, payoffs, first, child, seat, further, strategy, regrets, average, t, below)
        value += p * below
        earned[k] = below[seat]
    if mover == seat:
        others = reach[1 - seat] * reach[2]
        for k in range(node.num_children):
            regrets[begin + k] += others * (earned[k] - value[seat])
            average[begin + k] += t * reach[seat] * strategy[begin + k]


@njit
def _match(first, weights, strategy):
    for state in range(len(first) - 1):
        begin, end = first[state], first[state + 1]
        total = 0.0
        for q in range(begin, end):
            total += max(weights[q], 0.0)
        for q in range(begin, end):
            strategy[q] = max(weights[q], 0.0) / total if total > 0.0 else 1.0 / (end - begin)
