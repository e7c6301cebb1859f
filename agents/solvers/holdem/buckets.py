"""Buckets of hands in hold'em: an abstraction in which hands that are about as strong are played alike.

Before the flop each of the 169 kinds of hands is a bucket. Later the buckets are percentiles of E[HS^2]: the hand
strength HS is the share of the other hands that a hand beats once all cards lie open, half of those it ties with, and
E[HS^2] is the mean of its square over the cards to come, which values a hand that may become strong. M. Johanson,
N. Burch, R. Valenzano, M. Bowling, "Evaluating state-space abstractions in extensive-form games", AAMAS 2013.

Shapes: H = 1326 hands of two cards, in the order of `HANDS`; B buckets in a round.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.solvers.drawing import Stream, uniform
from arena.analysis.holdem_odds import HANDS
from arena.analysis.tree import Floats
from games.engine.chance import GAMMA, mix
from games.engine.holdem import NUM_CARDS, OPEN, ROUNDS, SHOWN, card_bit, card_set, strength_of
from games.engine.jit import njit
from games.engine.poker_hands import NUM_RANKS

Cards = NDArray[np.int64]
Cuts = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]
"""Borders of the B buckets of each round after the first, each [B - 1]."""
NUM_HANDS = len(HANDS)
NUM_KINDS = NUM_RANKS**2
"""Buckets before the flop: pairs, suited and other hands by their ranks."""
RUNOUTS = 200
"""Draws of the last two cards for a hand's strength on the flop; on the turn the last card is each that is left."""
NUM_OPPOSING = 45 * 44 // 2
"""Hands that an opponent may hold once all cards lie open."""
SAMPLED_BOARDS = 100
"""Boards whose hands say where the percentiles lie."""

FIRST, SECOND = np.ascontiguousarray(HANDS.T, np.int64)
"""Cards of each hand, [H]."""
BITS = np.array([card_bit.py_func(first) | card_bit.py_func(second) for first, second in HANDS.tolist()])
"""The cards of each hand as a set that `strength_of` takes, [H]."""
NUMBER = np.zeros((NUM_CARDS, NUM_CARDS), np.int64)
"""Number of the hand of two cards, in either order."""
NUMBER[FIRST, SECOND] = NUMBER[SECOND, FIRST] = np.arange(NUM_HANDS)


def _kinds() -> NDArray[np.int64]:
    """Return the bucket before the flop of each hand, [H]."""
    low, high = np.sort((HANDS.astype(np.int64) - 1) % NUM_RANKS, axis=1).T
    suited = FIRST // NUM_RANKS == SECOND // NUM_RANKS
    return np.where(suited, NUM_RANKS * high + low, NUM_RANKS * low + high)


KINDS = _kinds()


@njit(cache=True, nogil=True)
def rank_hands(board: Any, keys: Cards) -> int:
    """Write the hands that a board of five cards leaves, from the weakest: strength and hand in a word of `keys` [H].

    Returns how many they are.
    """
    count = 0
    for hand in range(NUM_HANDS):
        if BITS[hand] & board == 0:
            keys[count] = strength_of(board | BITS[hand]) * NUM_HANDS + hand
            count += 1
    keys[:count].sort()
    return count


@njit
def write_hand_strengths(keys: Cards, count: int, out: Floats) -> None:
    """Write the hand strength of each of the first `count` hands of `keys` into `out` [H], against all that remain."""
    below, tied = np.zeros(NUM_CARDS, np.int64), np.zeros(NUM_CARDS, np.int64)  # how many of them hold each card
    begin = 0
    while begin < count:
        end = begin
        while end < count and keys[end] // NUM_HANDS == keys[begin] // NUM_HANDS:
            hand = keys[end] % NUM_HANDS
            tied[FIRST[hand]] += 1
            tied[SECOND[hand]] += 1
            end += 1
        for i in range(begin, end):
            first, second = FIRST[keys[i] % NUM_HANDS], SECOND[keys[i] % NUM_HANDS]
            beaten = begin - below[first] - below[second]  # no other hand has both cards
            ties = end - begin - tied[first] - tied[second] + 1  # the hand itself was taken off twice
            out[keys[i] % NUM_HANDS] = (beaten + 0.5 * ties) / NUM_OPPOSING
        for card in range(NUM_CARDS):
            below[card] += tied[card]
            tied[card] = 0
        begin = end


@njit
def write_expected_squares(cards: Cards, out: Floats) -> None:
    """Write E[HS^2] of all hands with three, four or five open cards into `out` [H]; -1 for those with a card of them.

    It depends on the cards alone, not on their order.
    """
    board, shown = card_set(cards), cards.shape[0]
    keys, strengths, counts = np.empty(NUM_HANDS, np.int64), np.empty(NUM_HANDS), np.zeros(NUM_HANDS)
    stream = np.array([np.uint64(board)], np.uint64)
    out[:] = 0
    for run in range(RUNOUTS if shown == SHOWN[1] else NUM_CARDS if shown == SHOWN[2] else 1):
        full = board
        if shown == SHOWN[1]:
            full = add_unseen(add_unseen(board, stream), stream)
        elif shown == SHOWN[2]:
            full |= card_bit(run)
        if full == board and shown < OPEN:
            continue
        count = rank_hands(full, keys)
        write_hand_strengths(keys, count, strengths)
        for i in range(count):
            hand = keys[i] % NUM_HANDS
            out[hand] += strengths[hand] ** 2
            counts[hand] += 1
    for hand in range(NUM_HANDS):
        out[hand] = out[hand] / counts[hand] if counts[hand] > 0 else -1.0


@njit
def add_unseen(board: Any, stream: Stream) -> Any:
    """Return a set of cards with another one, drawn at random."""
    bit = board
    while bit & board != 0:
        bit = card_bit(int(uniform(stream) * NUM_CARDS))
    return board | bit


@njit(cache=True, nogil=True)
def write_buckets(cards: Cards, cuts: Floats, out: Cards) -> None:
    """Write the bucket of every hand into `out` [H], with the open cards of a round; `cuts` [B - 1] are of the round.

    Hands with an open card have the first bucket.
    """
    squares = np.empty(NUM_HANDS)
    write_expected_squares(cards, squares)
    out[:] = np.searchsorted(cuts, squares)


@njit
def draw_board(stream: Stream, cards: Cards) -> None:
    """Draw different cards into `cards` [k]."""
    for i in range(cards.shape[0]):
        again = True
        while again:
            cards[i] = int(uniform(stream) * NUM_CARDS)
            again = False
            for j in range(i):
                again = again or cards[j] == cards[i]


@njit(cache=True, nogil=True)
def sample_squares(stream: Stream, out: Floats) -> None:
    """Write E[HS^2] of all hands in the three rounds after the first into `out` [boards, 3, H], on random boards."""
    cards = np.empty(OPEN, np.int64)
    for i in range(out.shape[0]):
        draw_board(stream, cards)
        for which in range(1, ROUNDS):
            write_expected_squares(cards[: SHOWN[which]], out[i, which - 1])


def percentiles(counts: Sequence[int], seed: int, boards: int = SAMPLED_BOARDS) -> Cuts:
    """Return E[HS^2] at the borders of so many buckets in each round after the first."""
    stream = np.array([mix(np.uint64(seed) + GAMMA)], np.uint64)
    squares = np.empty((boards, ROUNDS - 1, NUM_HANDS))
    sample_squares(stream, squares)
    flop, turn, river = (
        np.quantile(squares[:, i][squares[:, i] >= 0], np.arange(1, count) / count).astype(np.float32)
        for i, count in enumerate(counts)
    )
    return flop, turn, river
