"""Strength of poker hands: the best five of up to seven cards, as one number, from sets of ranks as bits.

A suit is a word of 13 bits, bit 0 for the two and bit 12 for the ace. A hand's number is its category, then the ranks
that make it, then the others that count: two hands compare as their numbers do.
"""

from typing import Any

import numpy as np

from games.engine.jit import njit

NUM_RANKS = 13
ACE = np.int64(1 << 12)
HIGH, PAIR, TWO_PAIRS, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH = range(9)
CATEGORIES = (
    "high card",
    "a pair",
    "two pairs",
    "three of a kind",
    "a straight",
    "a flush",
    "a full house",
    "four of a kind",
    "a straight flush",
)


@njit
def hand_strength(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return the number of the hand whose ranks in the four suits are the bits of `a`, `b`, `c` and `d`."""
    flush = flush_ranks(a) | flush_ranks(b) | flush_ranks(c) | flush_ranks(d)
    if flush != 0 and straight_top(flush) != 0:
        return numbered(STRAIGHT_FLUSH, straight_top(flush), 0)
    ranks = a | b | c | d
    pairs = (a & b) | (c & d) | ((a | b) & (c | d))  # two or more of a rank
    threes = (a & b & (c | d)) | (c & d & (a | b))
    four = a & b & c & d
    if four != 0:
        return numbered(FOUR, four, highest(ranks ^ four, 1))
    three = highest(threes, 1)
    if three != 0 and pairs != three:
        return numbered(FULL_HOUSE, three, highest(pairs ^ three, 1))
    if flush != 0:
        return numbered(FLUSH, highest(flush, 5), 0)
    if straight_top(ranks) != 0:
        return numbered(STRAIGHT, straight_top(ranks), 0)
    if three != 0:
        return numbered(THREE, three, highest(ranks ^ three, 2))
    two = highest(pairs, 2)
    if two == 0:
        return numbered(HIGH, highest(ranks, 5), 0)
    if highest(two, 1) != two:
        return numbered(TWO_PAIRS, two, highest(ranks ^ two, 1))
    return numbered(PAIR, two, highest(ranks ^ two, 3))


@njit
def numbered(category: Any, made: Any, others: Any) -> Any:
    """Return category, ranks that make the hand, others that count, in one number."""
    return (category << 2 * NUM_RANKS) | (made << NUM_RANKS) | others


@njit
def category_of(strength: Any) -> Any:
    """Return the category of a hand, an index of `CATEGORIES`."""
    return strength >> 2 * NUM_RANKS


@njit
def highest(ranks: Any, count: int) -> Any:
    """Return the highest `count` bits of a set; all, if there are no more."""
    left = np.int64(0)
    rest = ranks
    while rest != 0:
        rest &= rest - 1
        left += 1
    while left > count:
        ranks &= ranks - 1
        left -= 1
    return ranks


@njit
def flush_ranks(suit: Any) -> Any:
    """Return the ranks of a suit if there are five or more, else none."""
    return suit if highest(suit, 4) != suit else 0


@njit
def straight_top(ranks: Any) -> Any:
    """Return the top rank, as a bit, of the highest straight, 0 without one; the ace is also below the two."""
    run = ranks << 1 | int(ranks & ACE != 0)
    return highest(run & run << 1 & run << 2 & run << 3 & run << 4, 1) >> 1


def ranks_by_suit(ranks: Any, suits: Any) -> tuple[int, int, int, int]:
    """Return the four words for cards given by rank (0 for the two) and suit (0 to 3)."""
    words = [0, 0, 0, 0]
    for rank, suit in zip(ranks, suits, strict=True):
        words[suit] |= 1 << rank
    return words[0], words[1], words[2], words[3]
