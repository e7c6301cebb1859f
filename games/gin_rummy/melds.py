"""Melds of gin rummy and the deadwood that they leave, in hands of at most eleven cards.

A hand is a whole number of 52 bits. Card 13 * suit + rank is a bit, with suits in the order spades, hearts, diamonds,
clubs and ranks from ace to king. A meld is a set (three or four cards of one rank) or a run (three or more cards of one
suit in sequence, the ace below the two). Cards in no meld are deadwood: an ace counts 1, picture cards 10.

Runs are looked up by suit in `LOOSE`. What is tried out is which sets to lay down: there are at most three ranks to
choose from in eleven cards, and hardly ever more than one.
"""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.jit import njit

NUM_RANKS, NUM_SUITS = 13, 4
NUM_CARDS = NUM_RANKS * NUM_SUITS
ALL_CARDS = (1 << NUM_CARDS) - 1
ONE_SUIT = (1 << NUM_RANKS) - 1
POINTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)
"""What a card of each rank counts as deadwood."""
SHORTEST = 3
"""Fewest cards of a meld."""
MOST_TO_KNOCK = 10
"""Deadwood that may be left when knocking."""


def points_without_runs() -> NDArray[np.int8]:
    """Return the fewest points of one suit's cards outside runs, for each of its 2**13 sets of cards."""
    table = np.zeros(1 << NUM_RANKS, np.int8)
    for cards in range(1, 1 << NUM_RANKS):
        lowest = cards & -cards
        fewest = POINTS[lowest.bit_length() - 1] + table[cards ^ lowest]
        for length in range(SHORTEST, NUM_RANKS + 1):  # runs that begin with the lowest card
            run = lowest * ((1 << length) - 1)
            if cards & run != run:
                break
            fewest = min(fewest, table[cards ^ run])
        table[cards] = fewest
    return table


def sets_of_a_rank() -> NDArray[np.int64]:
    """Return the sets of rank 0, as cards, that suits held (four bits) allow; 0, no set, among them: [16, 6]."""
    table = np.zeros((1 << NUM_SUITS, MOST_SETS), np.int64)
    for suits in range(1 << NUM_SUITS):
        cards = [1 << (NUM_RANKS * suit) for suit in range(NUM_SUITS) if suits >> suit & 1]
        sets = [sum(some) for size in (3, 4) for some in combinations(cards, size)]
        table[suits, 1 : 1 + len(sets)] = sets
    return table


MOST_SETS = 6
"""No set, four of three cards, one of four."""
LOOSE = points_without_runs()
SETS = sets_of_a_rank()


@njit
def points_outside_runs(hand: Any) -> int:
    """Return the fewest points that are left when runs alone are laid down."""
    return (
        LOOSE[hand & ONE_SUIT]
        + LOOSE[hand >> NUM_RANKS & ONE_SUIT]
        + LOOSE[hand >> 2 * NUM_RANKS & ONE_SUIT]
        + LOOSE[hand >> 3 * NUM_RANKS & ONE_SUIT]
    )


@njit
def ranks_with_sets(hand: Any) -> int:
    """Return the ranks of which at least three cards are held, as bits."""
    black, red = hand & hand >> NUM_RANKS, hand >> 2 * NUM_RANKS & hand >> 3 * NUM_RANKS
    either_black, either_red = hand | hand >> NUM_RANKS, hand >> 2 * NUM_RANKS | hand >> 3 * NUM_RANKS
    return (black & either_red | red & either_black) & ONE_SUIT


@njit
def deadwood(hand: Any) -> int:
    """Return the fewest points that melds of these cards (at most eleven) leave."""
    fewest = points_outside_runs(hand)
    ranks = ranks_with_sets(hand)
    if ranks == 0:
        return fewest
    choices = 1
    for rank in range(NUM_RANKS):
        if ranks >> rank & 1:
            choices *= MOST_SETS
    for choice in range(1, choices):  # a digit to base `MOST_SETS` for each rank; 0 is no set
        rest, digits = hand, choice
        for rank in range(NUM_RANKS):
            if ranks >> rank & 1:
                rest ^= SETS[suits_of(hand, rank), digits % MOST_SETS] << rank
                digits //= MOST_SETS
        fewest = min(fewest, points_outside_runs(rest))
    return fewest


@njit
def suits_of(hand: Any, rank: int) -> int:
    """Return the suits in which a rank is held, as bits."""
    suits = 0
    for suit in range(NUM_SUITS):
        suits |= (hand >> (NUM_RANKS * suit + rank) & 1) << suit
    return suits


@njit
def gin_card(hand: Any) -> int:
    """Return the lowest-numbered of eleven cards without which all others are in melds, -1 if there is none."""
    if deadwood(hand) > MOST_TO_KNOCK:  # no card counts more
        return -1
    for card in range(NUM_CARDS):
        if hand >> card & 1 and deadwood(hand ^ 1 << card) == 0:
            return card
    return -1


@njit
def knocking_cards(hand: Any) -> int:
    """Return those of eleven cards without which the others may be knocked with, as bits."""
    cards = 0
    if deadwood(hand) <= 2 * MOST_TO_KNOCK:  # the card that is laid away counts at most 10
        for card in range(NUM_CARDS):
            if hand >> card & 1 and deadwood(hand ^ 1 << card) <= MOST_TO_KNOCK:
                cards |= 1 << card
    return cards
