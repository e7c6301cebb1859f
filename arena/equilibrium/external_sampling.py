"""Monte Carlo CFR by external sampling: all actions of one seat, and one of chance and of each other seat.

M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling, "Monte Carlo sampling for regret minimization in extensive games", NIPS
2009. In an iteration every seat is updated in turn; what its regrets gain is right on average. The average strategy of
each seat is built up while the seat before it is updated, with a weight that undoes how often the other seats lead
there (with two seats there are none).
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from arena.equilibrium.cfr import match
from arena.equilibrium.drawing import Nodes, Stream, draw_action, draw_child
from arena.equilibrium.tree import Floats, GameTree, SequenceForm
from games.engine.game import CHANCE


def external_sampling(tree: GameTree, regrets: Floats, average: Floats, stream: Stream, iterations: int) -> None:
    """Run `iterations` of external sampling, changing `regrets`, `average` [Q] and `stream` in place."""
    size = len(tree.nodes)
    visited, branches, values = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size)
    strategy, weights = np.empty_like(regrets), np.ones(size)
    scratch = (visited, branches, values, weights, strategy)
    _external(tree.form, tree.nodes, tree.payoffs, iterations, regrets, average, stream, *scratch)


@njit(cache=True, nogil=True)
def _external(
    form: SequenceForm,
    nodes: Nodes,
    payoffs: Floats,
    iterations: int,
    regrets: Floats,
    average: Floats,
    stream: Stream,
    visited: NDArray[np.int32],
    branches: NDArray[np.int32],
    values: Floats,
    weights: Floats,
    strategy: Floats,
) -> None:
    for _ in range(iterations):
        for seat in range(payoffs.shape[1]):
            count = descend(
                form, nodes, seat, payoffs.shape[1], regrets, average, stream, visited, branches, weights, strategy
            )
            ascend(form, nodes, payoffs, seat, count, regrets, visited, branches, values, strategy)


@njit(cache=True, nogil=True)
def descend(
    form: SequenceForm,
    nodes: Nodes,
    seat: int,
    players: int,
    regrets: Floats,
    average: Floats,
    stream: Stream,
    visited: NDArray[np.int32],
    branches: NDArray[np.int32],
    weights: Floats,
    strategy: Floats,
) -> int:
    """Write a sample of the tree into `visited`, all actions of `seat` and one of the others; returns how many nodes.

    Parents stand before their children, the children of a node next to each other from `branches` on. `weights` are one
    over how likely it was that the seats who neither are updated nor averaged led there.
    """
    averaged, count, i = (seat + 1) % players, 1, 0
    visited[0], weights[0] = 0, 1.0
    while i < count:
        node = nodes[visited[i]]
        branches[i] = count
        if node.seat == CHANCE:
            visited[count] = draw_child(nodes, visited[i], stream)
            weights[count] = weights[i]
            count += 1
        elif node.seat >= 0:
            begin, end = form.first_sequence[node.index], form.first_sequence[node.index + 1]
            match(regrets, begin, end, strategy)
            if node.seat == seat:
                for k in range(end - begin):
                    visited[count] = node.first_child + k
                    weights[count] = weights[i]
                    count += 1
            else:
                k = draw_action(strategy, begin, end, stream)
                visited[count] = node.first_child + k
                weights[count] = weights[i]
                if node.seat == averaged:
                    for q in range(begin, end):
                        average[q] += weights[i] * strategy[q]
                else:
                    weights[count] /= strategy[begin + k]
                count += 1
        i += 1
    return count


@njit(cache=True, nogil=True)
def ascend(
    form: SequenceForm,
    nodes: Nodes,
    payoffs: Floats,
    seat: int,
    count: int,
    regrets: Floats,
    visited: NDArray[np.int32],
    branches: NDArray[np.int32],
    values: Floats,
    strategy: Floats,
) -> None:
    """Add to the regrets of `seat` what a sample of `count` nodes says."""
    for i in range(count - 1, -1, -1):
        node, child = nodes[visited[i]], branches[i]
        if node.num_children == 0:
            values[i] = payoffs[node.index, seat]
        elif node.seat == seat:
            begin, end = form.first_sequence[node.index], form.first_sequence[node.index + 1]
            value = 0.0
            for q in range(begin, end):
                value += strategy[q] * values[child + q - begin]
            for q in range(begin, end):
                regrets[q] += values[child + q - begin] - value
            values[i] = value
        else:
            values[i] = values[child]
