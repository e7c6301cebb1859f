"""Monte Carlo CFR by outcome sampling: a single line to an end.

M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling, "Monte Carlo sampling for regret minimization in extensive games", NIPS
2009. In an iteration every seat is updated in turn, and explores: it plays any action alike with a probability of
`exploration`. Its average grows by what it would have played, over how likely it was to be drawn ("stochastically
weighted"). Regrets and average gain on average what they gain in CFR.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from arena.equilibrium.cfr import match
from arena.equilibrium.drawing import Nodes, Stream, draw_action, draw_child, uniform
from arena.equilibrium.tree import Floats, GameTree, SequenceForm
from games.engine.game import CHANCE

EXPLORATION = 0.6
"""The paper's choice (section 5)."""


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
