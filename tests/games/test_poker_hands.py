"""The strength of poker hands, beside a plain reading of the rules and the known number of hands of each kind."""

from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest
from numba import njit

from games.engine.poker_hands import CATEGORIES, category_of, hand_strength, ranks_by_suit

KNOWN = [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40]
"""Hands of five cards by category, of 2,598,960."""


def plain_strength(cards):
    """Category and ranks of the best five of some (rank, suit), by trying all fives."""
    return max(map(five_strength, combinations(cards, 5)))


def five_strength(cards):
    counts = Counter(rank for rank, _ in cards)
    ranks = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    pattern = sorted(counts.values(), reverse=True)
    flush = len({suit for _, suit in cards}) == 1
    if ranks == [12, 3, 2, 1, 0]:
        ranks = [3, 2, 1, 0, -1]
    straight = len(ranks) == 5 and all(high - low == 1 for high, low in pairwise(ranks))
    if straight or flush:
        return (8 if straight and flush else 5 if flush else 4), ranks
    patterns = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1, (1, 1, 1, 1, 1): 0}
    return patterns[tuple(pattern)], ranks


def strength(cards):
    return hand_strength(*ranks_by_suit(*zip(*cards, strict=True)))


@pytest.mark.full
def test_random_hands_of_seven_compare_as_the_rules_say():
    rng = np.random.default_rng(3)
    hands = []
    for deck in (52, 20):  # few ranks make strong hands common
        for _ in range(700):
            hands.append([divmod(int(card), 4) for card in rng.choice(deck, 7, replace=False)])
    plain = [plain_strength(hand) for hand in hands]
    fast = [strength(hand) for hand in hands]
    assert [category for category, _ in plain] == [category_of(value) for value in fast]
    assert {category for category, _ in plain} == set(range(len(CATEGORIES)))
    order = sorted(range(len(hands)), key=plain.__getitem__)
    for lower, higher in pairwise(order):
        assert (plain[lower] == plain[higher]) == (fast[lower] == fast[higher])
        assert fast[lower] <= fast[higher]


@njit
def count_fives(counts):
    suit = np.zeros(4, np.int64)
    for a in range(52):
        for b in range(a):
            for c in range(b):
                for d in range(c):
                    for e in range(d):
                        suit[:] = 0
                        for card in (a, b, c, d, e):
                            suit[card % 4] |= 1 << card // 4
                        counts[category_of(hand_strength(suit[0], suit[1], suit[2], suit[3]))] += 1


@pytest.mark.full
def test_number_of_hands_of_each_kind():
    counts = np.zeros(len(CATEGORIES), np.int64)
    count_fives(counts)
    assert counts.tolist() == KNOWN


def test_straights_with_an_ace():
    low = [(12, 0), (0, 1), (1, 2), (2, 3), (3, 0)]
    six = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 0)]
    high = [(12, 0), (11, 1), (10, 2), (9, 3), (8, 0)]
    round_the_corner = [(12, 0), (11, 1), (0, 2), (1, 3), (2, 0)]
    assert strength(round_the_corner) < strength(low) < strength(six) < strength(high)
