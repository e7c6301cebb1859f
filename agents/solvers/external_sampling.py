"""Monte Carlo CFR by external sampling: all actions of one seat, one action of chance and of each other seat.

M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling, "Monte Carlo sampling for regret minimization in extensive games", NIPS
2009. An iteration updates the seats in turn with unbiased estimates of their regrets. The average strategy of a seat is
accumulated while the seat before it is updated, weighted by one over the sampling probability of the remaining seats (1
in games of two seats).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.solvers.drawing import SampleTables, Stream, TreeArrays, draw_action, draw_child
from arena.analysis.matching import match
from arena.analysis.tree import Floats, GameTree
from games.engine.entries import unowned
from games.engine.game import CHANCE
from games.engine.jit import njit


class Sample(NamedTuple):
    """The part of the tree that an update looks at: parents before their children, which are adjacent."""

    visited: NDArray[np.int32]
    """Its nodes, [N]."""
    branches: NDArray[np.int32]
    """The place of the first child of each, [N]."""
    weights: Floats
    """One over the probability with which the seats neither updated nor averaged were sampled, [N]."""
    values: Floats
    """Payoff of the updated seat at each, [N]."""


def external_sampling(tree: GameTree, regrets: Floats, average: Floats, stream: Stream, iterations: int) -> None:
    """Run `iterations` of external sampling, changing `regrets`, `average` [Q] and `stream` in place."""
    size = len(tree.nodes)
    sample = Sample(np.empty(size, np.int32), np.empty(size, np.int32), np.ones(size), np.empty(size))
    tables = SampleTables(regrets, average, np.empty_like(regrets))
    _external(TreeArrays(tree.form, tree.nodes, tree.payoffs), tables, sample, stream, iterations)


@njit(cache=True, nogil=True)
def _external(tree: TreeArrays, tables: SampleTables, sample: Sample, stream: Stream, iterations: int) -> None:
    tree, tables, sample, stream = unowned(tree), unowned(tables), unowned(sample), unowned(stream)
    for _ in range(iterations):
        for seat in range(tree.payoffs.shape[1]):
            count = descend(tree, seat, tables, sample, stream)
            ascend(tree, seat, tables, sample, count)


@njit(inline="always")
def descend(tree: TreeArrays, seat: int, tables: SampleTables, sample: Sample, stream: Stream) -> int:
    """Sample a part of the tree, with all actions of `seat`; return its number of nodes."""
    form, nodes = tree.form, tree.nodes
    regrets, average, strategy = tables
    visited, branches, weights = sample.visited, sample.branches, sample.weights
    averaged, count, i = (seat + 1) % tree.payoffs.shape[1], 1, 0
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
                else:  # drawn by its strategy, which must not count in the average of another seat
                    weights[count] /= strategy[begin + k]
                count += 1
        i += 1
    return count


@njit(inline="always")
def ascend(tree: TreeArrays, seat: int, tables: SampleTables, sample: Sample, count: int) -> None:
    """Add the regrets of `seat` estimated from a sample of `count` nodes."""
    form, nodes, payoffs = tree
    regrets, strategy = tables.regrets, tables.strategy
    visited, branches, values = sample.visited, sample.branches, sample.values
    for i in range(count - 1, -1, -1):  # children stand behind their parents: their values are known
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
        else:  # of chance or another seat, where one child was drawn by its probability
            values[i] = values[child]
