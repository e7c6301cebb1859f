"""Endgame solving: the last round of betting in limit hold'em, solved with every hand apart instead of in buckets.

S. Ganzfried, T. Sandholm, "Endgame solving in large imperfect-information games", AAMAS 2015. How likely each hand of
either player is when the last card is shown follows from a strategy and the bets so far. The betting that is left is
then solved by CFR+ (Tammelin 2014), for all hands of both at once.

Shapes: H = 1326 hands, M nodes of the endgame, n hands that the open cards leave.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.solvers.holdem.betting import DECISION, FOLDED, NUM_ACTIONS, BettingTree, match_regrets_at
from agents.solvers.holdem.buckets import FIRST, NUM_HANDS, SECOND, Cards, rank_hands
from arena.analysis.tree import Floats
from games.engine.entries import unowned
from games.engine.holdem import NUM_CARDS, card_set
from games.engine.jit import njit

ITERATIONS = 100
"""Iterations of CFR+ for an endgame, which take some 30 ms."""


class EndgameTables(NamedTuple):
    """The vectors over hands at each node."""

    regrets: Floats
    """Cumulative regrets, at least 0, of who decides: [M, 3, n]."""
    average: Floats
    """Cumulative strategy, [M, 3, n]."""
    strategy: Floats
    """Strategy of this iteration, [M, 3, n]."""
    reach: Floats
    """Probability with which each player gets there with each hand, [M, 2, n]."""
    values: Floats
    """Counterfactual value of each hand of the player who is updated, [M, n]."""


def nodes_below(tree: BettingTree, root: int) -> NDArray[np.int64]:
    """Return a node and all below it, in the order of the tree."""
    nodes = [root]
    for node in nodes:  # which grows meanwhile
        nodes.extend(child for child in tree.children[node].tolist() if child >= 0)
    return np.array(sorted(nodes))


def part_of(tree: BettingTree, nodes: NDArray[np.int64]) -> BettingTree:
    """Return the part of a betting tree that has these nodes, as `nodes_below` returns them."""
    place = np.full(len(tree.kind) + 1, -1, np.int32)  # the last one stands for no child
    place[nodes] = np.arange(len(nodes))
    children = place[tree.children[nodes]]
    return BettingTree(tree.kind[nodes], tree.player[nodes], tree.round[nodes], children, tree.paid[nodes])


def solve_endgame(tree: BettingTree, board: Cards, ranges: Floats, iterations: int = ITERATIONS) -> NDArray[np.float32]:
    """Return the average strategy of an endgame, probabilities of actions at each node with each hand: [M, 3, H].

    `tree` is that of the last round, `board` [5] are the open cards, and `ranges` [2, H] how likely each hand of either
    player is, in any unit. Hands with an open card have probability 0 for every action.
    """
    keys = np.empty(NUM_HANDS, np.int64)
    count = rank_hands(card_set(board), keys)
    hands, nodes = keys[:count] % NUM_HANDS, len(tree.kind)
    regrets, average, strategy = np.zeros((3, nodes, NUM_ACTIONS, count))
    tables = EndgameTables(regrets, average, strategy, np.zeros((nodes, 2, count)), np.zeros((nodes, count)))
    tables.reach[0] = ranges[:, hands] / ranges[:, hands].sum(axis=1, keepdims=True)
    iterate_endgame(tree, keys[:count] // NUM_HANDS, hands, tables, iterations)
    result = np.zeros((nodes, NUM_ACTIONS, NUM_HANDS), np.float32)
    result[:, :, hands] = tables.average / np.maximum(tables.average.sum(axis=1, keepdims=True), 1e-300)
    return result


@njit(cache=True, nogil=True)
def iterate_endgame(tree: BettingTree, strengths: Cards, hands: Cards, tables: EndgameTables, iterations: int) -> None:
    """Run CFR+ on `hands` [n], sorted by their `strengths` [n]; the reach of the first node is given."""
    tables = unowned(tables)
    for t in range(1, iterations + 1):
        for player in range(2):
            descend(tree, tables, player, np.float64(t))
            ascend(tree, strengths, hands, tables, player)


@njit(cache=True, nogil=True)
def descend(tree: BettingTree, tables: EndgameTables, player: int, weight: float) -> None:
    """Write strategies and reach from the first node to the ends; add to the average strategy of `player`."""
    regrets, average, strategy, reach, _ = tables
    for node in range(tree.kind.shape[0]):
        if tree.kind[node] != DECISION:
            continue
        decides, children = tree.player[node], tree.children[node]
        for i in range(reach.shape[2]):
            match_regrets_at(children, regrets[node, :, i], strategy[node], i)
        for action in range(NUM_ACTIONS):
            child = children[action]
            if child < 0:
                continue
            reach[child, 1 - decides] = reach[node, 1 - decides]
            reach[child, decides] = reach[node, decides] * strategy[node, action]
            if decides == player:
                # with a little for hands that do not get here by this strategy, which then have one as well
                average[node, action] += weight * (reach[node, decides] + 1e-12) * strategy[node, action]


@njit(cache=True, nogil=True)
def ascend(tree: BettingTree, strengths: Cards, hands: Cards, tables: EndgameTables, player: int) -> None:
    """Write the values of `player` from the ends to the first node, and add its regrets."""
    regrets, _, strategy, reach, values = tables
    for node in range(tree.kind.shape[0] - 1, -1, -1):
        if tree.kind[node] == FOLDED:
            loser = tree.player[node]
            stake = -tree.paid[node, loser] if loser == player else tree.paid[node, loser]
            write_fold_values(hands, reach[node, 1 - player], stake, values[node])
        elif tree.kind[node] != DECISION:
            write_showdown_values(strengths, hands, reach[node, 1 - player], tree.paid[node, player], values[node])
        else:
            values[node] = 0
            for action in range(NUM_ACTIONS):
                child = tree.children[node, action]
                if child >= 0:
                    if tree.player[node] == player:
                        values[node] += strategy[node, action] * values[child]
                    else:
                        values[node] += values[child]
            if tree.player[node] == player:
                for action in range(NUM_ACTIONS):
                    child = tree.children[node, action]
                    if child >= 0:
                        gain = regrets[node, action] + values[child] - values[node]
                        regrets[node, action] = np.maximum(gain, 0.0)


@njit(cache=True, nogil=True)
def write_fold_values(hands: Cards, other: Floats, stake: float, out: Floats) -> None:
    """Write `stake` times the probability `other` [n] of all hands that each hand can meet into `out` [n]."""
    total, holding = 0.0, np.zeros(NUM_CARDS)
    for i in range(hands.shape[0]):
        total += other[i]
        holding[FIRST[hands[i]]] += other[i]
        holding[SECOND[hands[i]]] += other[i]
    for i in range(hands.shape[0]):
        out[i] = stake * (total - holding[FIRST[hands[i]]] - holding[SECOND[hands[i]]] + other[i])


@njit(cache=True, nogil=True)
def write_showdown_values(strengths: Cards, hands: Cards, other: Floats, stake: float, out: Floats) -> None:
    """Write `stake` times the probability of weaker hands, less that of stronger ones, into `out` [n]."""
    write_fold_values(hands, other, 1.0, out)
    below, weaker, tied = 0.0, np.zeros(NUM_CARDS), np.zeros(NUM_CARDS)
    begin = 0
    while begin < hands.shape[0]:
        end, level = begin, 0.0
        while end < hands.shape[0] and strengths[end] == strengths[begin]:
            level += other[end]
            tied[FIRST[hands[end]]] += other[end]
            tied[SECOND[hands[end]]] += other[end]
            end += 1
        for i in range(begin, end):
            first, second = FIRST[hands[i]], SECOND[hands[i]]
            beaten = below - weaker[first] - weaker[second]
            ties = level - tied[first] - tied[second] + other[i]
            out[i] = stake * (2 * beaten + ties - out[i])  # the others are stronger
        for i in range(begin, end):
            for card in (FIRST[hands[i]], SECOND[hands[i]]):
                weaker[card] += other[i]
                tied[card] = 0.0
        below += level
        begin = end
