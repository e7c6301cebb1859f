"""Monte Carlo CFR by outcome sampling: one line of play per update.

M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling, "Monte Carlo sampling for regret minimization in extensive games", NIPS
2009. An iteration updates the seats in turn. The updated seat mixes its strategy with uniform exploration of weight
`EXPLORATION`. Its average is weighted by one over the sampling probability ("stochastically weighted averaging"). The
updates of regrets and average are unbiased estimates of those of CFR.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.solvers.drawing import SampleTables, Stream, TreeArrays, draw_action, draw_child, uniform
from arena.analysis.matching import match
from arena.analysis.tree import Floats, GameTree
from games.engine.entries import unowned
from games.engine.game import CHANCE
from games.engine.jit import njit

EXPLORATION = 0.6
"""Weight of uniform exploration, as in the paper (section 5)."""


class SampledLine(NamedTuple):
    """A line of play, T nodes long."""

    steps: NDArray[np.int64]
    """Node and index of the child taken, [T, 2]."""
    chances: Floats
    """At the updated seat's nodes: its sampling probabilities of reaching the node, and of the action taken, [T, 2]."""


def outcome_sampling(
    tree: GameTree,
    regrets: Floats,
    average: Floats,
    stream: Stream,
    iterations: int,
    exploration: float = EXPLORATION,
) -> None:
    """Run `iterations` of outcome sampling, changing `regrets`, `average` [Q] and `stream` in place."""
    size = len(tree.nodes)
    line = SampledLine(np.empty((size, 2), np.int64), np.empty((size, 2)))
    tables = SampleTables(regrets, average, np.empty_like(regrets))
    _outcome(TreeArrays(tree.form, tree.nodes, tree.payoffs), tables, line, stream, iterations, exploration)


@njit(cache=True, nogil=True)
def _outcome(
    tree: TreeArrays, tables: SampleTables, line: SampledLine, stream: Stream, iterations: int, exploration: float
) -> None:
    tree, tables, line, stream = unowned(tree), unowned(tables), unowned(line), unowned(stream)
    for _ in range(iterations):
        for seat in range(tree.payoffs.shape[1]):
            length = draw_line(tree, seat, exploration, tables, line, stream)
            result = tree.payoffs[tree.nodes[line.steps[length, 0]].index, seat]
            learn_line(tree, seat, length, result, tables, line)


@njit(inline="always")
def draw_line(
    tree: TreeArrays, seat: int, exploration: float, tables: SampleTables, line: SampledLine, stream: Stream
) -> int:
    """Sample a line of play; return its length.

    Chance and the other seats are sampled by their strategies, so that their probabilities cancel.
    """
    form, nodes = tree.form, tree.nodes
    regrets, average, strategy = tables
    steps, chances = line
    length, number, drawn, own = 0, 0, 1.0, 1.0
    while nodes[number].num_children > 0:
        node = nodes[number]
        steps[length, 0] = number
        if node.seat == CHANCE:
            number = draw_child(nodes, number, stream)
        else:
            begin, end = form.first_sequence[node.index], form.first_sequence[node.index + 1]
            match(regrets, begin, end, strategy)
            if node.seat == seat:
                for q in range(begin, end):
                    average[q] += own / drawn * strategy[q]
                if uniform(stream) < exploration:
                    k = int(uniform(stream) * (end - begin))
                else:
                    k = draw_action(strategy, begin, end, stream)
                chances[length, 0] = drawn
                chances[length, 1] = exploration / (end - begin) + (1.0 - exploration) * strategy[begin + k]
                drawn *= chances[length, 1]
                own *= strategy[begin + k]
            else:
                k = draw_action(strategy, begin, end, stream)
            steps[length, 1] = k
            number = node.first_child + k
        length += 1
    steps[length, 0] = number
    return length


@njit(inline="always")
def learn_line(
    tree: TreeArrays, seat: int, length: int, result: float, tables: SampleTables, line: SampledLine
) -> None:
    """Add the regrets of `seat` estimated from a line of play that ended with its payoff `result`.

    The action taken has the value of the payoff over its sampling probability, the others 0: an unbiased estimate.
    """
    form, nodes = tree.form, tree.nodes
    regrets, strategy = tables.regrets, tables.strategy
    steps, chances = line
    value = result
    for i in range(length - 1, -1, -1):
        node = nodes[steps[i, 0]]
        if node.seat == seat:
            begin, end = form.first_sequence[node.index], form.first_sequence[node.index + 1]
            taken = begin + steps[i, 1]
            action_value = value / chances[i, 1]
            value = strategy[taken] * action_value
            for q in range(begin, end):
                regrets[q] += ((action_value if q == taken else 0.0) - value) / chances[i, 0]
