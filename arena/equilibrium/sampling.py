"""Monte Carlo CFR: regrets learned from sampled parts of a tree.

M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling, "Monte Carlo sampling for regret minimization in extensive games", NIPS
2009. In an iteration every seat is updated in turn.

- External sampling looks at all actions of the seat that is updated, and draws those of chance and of the others. The
  average of each seat is built up while the seat before it is updated, with a weight that undoes how often the other
  seats lead there (with two seats there are none).
- Outcome sampling draws a single line. The seat that is updated explores: it plays any action alike with a probability
  of `exploration`. Its average grows by what it would have played, over how likely it was to be drawn ("stochastically
  weighted").

Sums are estimates without bias of those of CFR; the stream of random numbers is the caller's, one number.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from arena.equilibrium.cfr import match
from arena.equilibrium.tree import Floats, GameTree, SequenceForm
from games.engine.chance import GAMMA, mix
from games.engine.game import CHANCE

EXPLORATION = 0.6
"""The paper's choice for outcome sampling (section 5)."""

Nodes = NDArray[Any]
"""Records of `arena.equilibrium.walk.NODE`, [N]."""
Stream = NDArray[np.uint64]
"""[1], the state of a stream of random numbers (splitmix64)."""


def external_sampling(tree: GameTree, regrets: Floats, average: Floats, stream: Stream, iterations: int) -> None:
    """Run `iterations` of external sampling, changing `regrets`, `average` [Q] and `stream` in place."""
    size = len(tree.nodes)
    visited, branches, values = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size)
    strategy, weights = np.empty_like(regrets), np.ones(size)
    scratch = (visited, branches, values, weights, strategy)
    _external(tree.form, tree.nodes, tree.payoffs, iterations, regrets, average, stream, *scratch)


def outcome_sampling(
    tree: GameTree,
    regrets: Floats,
    average: Floats,
    stream: Stream,
    iterations: int,
    exploration: float = EXPLORATION,
) -> None:
    """Run `iterations` of outcome sampling, changing `regrets`, `average` [Q] and `stream` in place."""
    line, strategy = np.empty((len(tree.nodes), 2), np.int64), np.empty_like(regrets)
    chances = np.empty((len(tree.nodes), 2))
    scratch = (line, chances, strategy)
    _outcome(tree.form, tree.nodes, tree.payoffs, iterations, exploration, regrets, average, stream, *scratch)


@njit(inline="always")
def uniform(stream: Stream) -> float:
    """The next number from 0 to 1 (excluded)."""
    stream[0] += GAMMA
    return np.float64(mix(stream[0]) >> np.uint64(11)) * 2.0**-53


@njit(inline="always")
def draw_child(nodes: Nodes, number: int, stream: Stream) -> int:
    """A child of a node of chance, as likely as chance has it."""
    child = nodes[number].first_child
    last = child + nodes[number].num_children - 1
    left = uniform(stream) - nodes[child].probability
    while left >= 0.0 and child < last:
        child += 1
        left -= nodes[child].probability
    return child


@njit(inline="always")
def draw_action(strategy: Floats, begin: int, end: int, stream: Stream) -> int:
    """The place, from 0, of an action drawn from `strategy[begin:end]`; its probability is above 0."""
    left, place = uniform(stream), 0
    for q in range(begin, end):
        if strategy[q] > 0.0:
            place = q - begin
            left -= strategy[q]
            if left < 0.0:
                break
    return place


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


@njit(cache=True, nogil=True)
def _outcome(
    form: SequenceForm,
    nodes: Nodes,
    payoffs: Floats,
    iterations: int,
    exploration: float,
    regrets: Floats,
    average: Floats,
    stream: Stream,
    line: NDArray[np.int64],
    chances: Floats,
    strategy: Floats,
) -> None:
    for _ in range(iterations):
        for seat in range(payoffs.shape[1]):
            length = draw_line(form, nodes, seat, exploration, regrets, average, stream, line, chances, strategy)
            earned = payoffs[nodes[line[length, 0]].index, seat]
            learn_line(form, nodes, seat, length, earned, regrets, line, chances, strategy)


@njit(cache=True, nogil=True)
def draw_line(
    form: SequenceForm,
    nodes: Nodes,
    seat: int,
    exploration: float,
    regrets: Floats,
    average: Floats,
    stream: Stream,
    line: NDArray[np.int64],
    chances: Floats,
    strategy: Floats,
) -> int:
    """Draw a line to an end: in `line` [T, 2] the nodes and which child was taken; returns its length.

    `chances` [T, 2] says of the nodes of `seat` how likely it was to come to the node by its own draws, and to take the
    child there. What the others and chance do is drawn as they do it, which leaves nothing to be weighed.
    """
    length, number, drawn, own = 0, 0, 1.0, 1.0
    while nodes[number].num_children > 0:
        node = nodes[number]
        line[length, 0] = number
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
            line[length, 1] = k
            number = node.first_child + k
        length += 1
    line[length, 0] = number
    return length


@njit(cache=True, nogil=True)
def learn_line(
    form: SequenceForm,
    nodes: Nodes,
    seat: int,
    length: int,
    earned: float,
    regrets: Floats,
    line: NDArray[np.int64],
    chances: Floats,
    strategy: Floats,
) -> None:
    """Add to the regrets of `seat` what a line says at whose end it `earned` so much.

    The action taken is worth what came of it over how likely it was taken, the others nothing: right on average.
    """
    value = earned
    for i in range(length - 1, -1, -1):
        node = nodes[line[i, 0]]
        if node.seat == seat:
            begin, end = form.first_sequence[node.index], form.first_sequence[node.index + 1]
            taken = begin + line[i, 1]
            worth = value / chances[i, 1]
            value = strategy[taken] * worth
            for q in range(begin, end):
                regrets[q] += ((worth if q == taken else 0.0) - value) / chances[i, 0]
