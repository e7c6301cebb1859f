"""Monte Carlo CFR by public chance sampling, for limit hold'em for two with hands in buckets.

M. Johanson, N. Bard, M. Lanctot, R. Gibson, M. Bowling, "Efficient Nash equilibrium approximation through Monte Carlo
counterfactual regret minimization", AAMAS 2012: the open cards are drawn, and all hands of both players are evaluated
together, one vector over hands at each node of the betting. Here hands are drawn as well, `HANDS_DRAWN` for each
player, several times on each board, which costs less than all 1,081 and brings less dependence between updates.
Regrets and the average strategy are weighted by the iteration (linear CFR; Brown and Sandholm 2019).

Shapes: K hands drawn, N nodes of the betting tree, R rows of the tables, one for each decision and bucket.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.solvers.drawing import Stream, uniform
from agents.solvers.holdem.betting import DECISION, FOLDED, NUM_ACTIONS, BettingTree, match_regrets_at
from agents.solvers.holdem.buckets import (
    BITS,
    KINDS,
    NUM_HANDS,
    Cards,
    Cuts,
    draw_board,
    rank_hands,
    write_buckets,
)
from games.engine.entries import unowned
from games.engine.holdem import OPEN, ROUNDS, SHOWN, card_set
from games.engine.jit import njit

HANDS_DRAWN = 64
DRAWS = 4
"""Times that hands are drawn on a board."""

Singles = NDArray[np.float32]


class HoldemTables(NamedTuple):
    """Cumulative regrets and strategy, each [R, 3]."""

    regrets: Singles
    """Cumulative regrets."""
    average: Singles
    """Cumulative probabilities, each weighted by the player's own probability of getting there."""


class HoldemGame(NamedTuple):
    """The game that is solved."""

    tree: BettingTree
    first: NDArray[np.int64]
    """Row of the first bucket of each decision, [N]."""
    cuts: Cuts


class Deal(NamedTuple):
    """Hands drawn for both players on one board."""

    buckets: Cards
    """Their buckets in each round, [2, 4, K]."""
    meets: Singles
    """1 / K where a hand of player 0 and one of player 1 share no card, else 0: [2, K, K], from each player's side."""
    wins: Singles
    """The same, times 1 where the player's hand is stronger, -1 where it is weaker, 0 if they tie: [2, K, K]."""


class Vectors(NamedTuple):
    """The vectors over hands at each node, for one player's update."""

    own: Singles
    """The player's probability of getting there, with each of its hands: [N, K]."""
    other: Singles
    """The opponent's probability, with each of its hands: [N, K]."""
    strategy: Singles
    """Probabilities of the actions, with each hand of who decides: [N, 3, K]."""
    values: Singles
    """Counterfactual value of each of the player's hands, [N, K]."""
    live: NDArray[np.bool_]
    """Whether the opponent gets there with any hand, [N]."""


def new_deal(size: int) -> Deal:
    """Return room for so many hands of each player."""
    buckets = np.zeros((2, ROUNDS, size), np.int64)
    return Deal(buckets, *np.zeros((2, 2, size, size), np.float32))


def new_vectors(tree: BettingTree, size: int) -> Vectors:
    """Return room for vectors over so many hands."""
    nodes = len(tree.kind)
    own, other, values = np.zeros((3, nodes, size), np.float32)
    return Vectors(own, other, np.zeros((nodes, NUM_ACTIONS, size), np.float32), values, np.zeros(nodes, np.bool_))


@njit(cache=True, nogil=True)
def iterate(
    game: HoldemGame, tables: HoldemTables, deal: Deal, vectors: Vectors, stream: Stream, done: int, iterations: int
) -> None:
    """Run `iterations` after those `done`, changing `tables` and `stream`; `deal` and `vectors` are scratch."""
    game, tables, deal, vectors = unowned(game), unowned(tables), unowned(deal), unowned(vectors)
    board, keys = np.empty(OPEN, np.int64), np.empty(NUM_HANDS, np.int64)
    of_hand = np.empty((ROUNDS, NUM_HANDS), np.int64)
    of_hand[0] = KINDS
    for t in range(done + 1, done + iterations + 1):
        draw_board(stream, board)
        for which in range(1, ROUNDS):
            write_buckets(board[: SHOWN[which]], game.cuts[which - 1], of_hand[which])
        count = rank_hands(card_set(board), keys)
        for _ in range(DRAWS):
            draw_hands(keys, count, of_hand, deal, stream)
            for player in range(2):
                descend(game, player, deal, tables, vectors, np.float32(t))
                ascend(game, player, deal, tables, vectors, np.float32(t))


@njit(cache=True, nogil=True)
def draw_hands(keys: Cards, count: int, of_hand: Cards, deal: Deal, stream: Stream) -> None:
    """Draw different hands for each player from the first `count` of `keys`, as `rank_hands` writes them."""
    size = deal.buckets.shape[2]
    drawn = np.empty((2, size), np.int64)
    for player in range(2):
        for i in range(size):
            j = i + int(uniform(stream) * (count - i))
            keys[i], keys[j] = keys[j], keys[i]
            drawn[player, i] = keys[i]
            deal.buckets[player, :, i] = of_hand[:, keys[i] % NUM_HANDS]
    for i in range(size):
        for j in range(size):
            one, other = drawn[0, i], drawn[1, j]
            meets = np.float32(BITS[one % NUM_HANDS] & BITS[other % NUM_HANDS] == 0) / np.float32(size)
            ahead = np.sign(one // NUM_HANDS - other // NUM_HANDS)
            deal.meets[0, i, j] = deal.meets[1, j, i] = meets
            deal.wins[0, i, j] = ahead * meets
            deal.wins[1, j, i] = -ahead * meets


@njit(cache=True, nogil=True)
def descend(
    game: HoldemGame, player: int, deal: Deal, tables: HoldemTables, vectors: Vectors, weight: np.float32
) -> None:
    """Write strategies and probabilities from the root to the ends; add to the average strategy of `player`."""
    tree, first, live = game.tree, game.first, vectors.live
    own, other = vectors.own, vectors.other
    own[0] = other[0] = 1
    live[:] = False
    live[0] = True
    for node in range(tree.kind.shape[0]):
        if not live[node] or tree.kind[node] != DECISION:
            continue
        decides = tree.player[node] == player
        buckets = deal.buckets[tree.player[node], tree.round[node]]
        for i in range(buckets.shape[0]):
            row = first[node] + buckets[i]
            match_regrets_at(tree.children[node], tables.regrets[row], vectors.strategy[node], i)
        for action in range(NUM_ACTIONS):
            child = tree.children[node, action]
            if child < 0:
                continue
            likely = vectors.strategy[node, action]
            if decides:
                own[child] = own[node] * likely
                other[child] = other[node]
                for i in range(buckets.shape[0]):
                    tables.average[first[node] + buckets[i], action] += weight * own[child, i]
            else:
                own[child] = own[node]
                other[child] = other[node] * likely
            live[child] = other[child].any()


@njit(cache=True, nogil=True)
def ascend(
    game: HoldemGame, player: int, deal: Deal, tables: HoldemTables, vectors: Vectors, weight: np.float32
) -> None:
    """Write the values of `player` from the ends to the root, and add its regrets."""
    tree, values = game.tree, vectors.values
    for node in range(tree.kind.shape[0] - 1, -1, -1):
        values[node] = 0
        if not vectors.live[node]:
            continue
        if tree.kind[node] == FOLDED:
            loser = tree.player[node]
            stake = -tree.paid[node, loser] if loser == player else tree.paid[node, loser]
            multiply(deal.meets[player], vectors.other[node], stake, values[node])
        elif tree.kind[node] != DECISION:
            multiply(deal.wins[player], vectors.other[node], tree.paid[node, player], values[node])
        else:
            decides = tree.player[node] == player
            for action in range(NUM_ACTIONS):
                child = tree.children[node, action]
                if child >= 0:
                    values[node] += vectors.strategy[node, action] * values[child] if decides else values[child]
            if decides:
                add_regrets(game, node, deal.buckets[player, tree.round[node]], tables, values, weight)


@njit(inline="always")
def add_regrets(
    game: HoldemGame, node: int, buckets: Cards, tables: HoldemTables, values: Singles, weight: np.float32
) -> None:
    """Add what each action would have brought more than the strategy, for each hand in the row of its bucket."""
    first = game.first[node]
    for action in range(NUM_ACTIONS):
        child = game.tree.children[node, action]
        if child >= 0:
            for i in range(buckets.shape[0]):
                tables.regrets[first + buckets[i], action] += weight * (values[child, i] - values[node, i])


@njit(fastmath={"reassoc"}, cache=True, nogil=True)
def multiply(matrix: Singles, vector: Singles, factor: np.float32, out: Singles) -> None:
    """Write `factor` times a matrix [K, K] times a vector [K] into `out` [K]; sums may be taken in any fixed order."""
    for i in range(matrix.shape[0]):
        total = np.float32(0)
        for j in range(matrix.shape[1]):
            total += matrix[i, j] * vector[j]
        out[i] = factor * total
